package io.limiter.spring.autoconfigure;

import io.limiter.spring.settings.ConfiguredLimits;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.settings.NamedSettings;
import io.limiter.spring.settings.PropertyTree;
import io.limiter.spring.settings.RenamedVariables;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;

/**
 * The names of all properties under {@code limiter}, by the records that they are bound to. A module lists its records in
 * {@code META-INF/spring/io.limiter.spring.autoconfigure.PropertyNames.imports}, so that their names are known even if none of its
 * beans is created. As a bean it checks all names before any other bean is created.
 */
final class PropertyNames implements BeanFactoryPostProcessor, NamedSettings {

    private static final Logger log = LoggerFactory.getLogger(PropertyNames.class);

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("limiter");

    /** The modules that may be missing where applications share properties, by the first part of their properties. */
    private static final Map<String, String> MODULES =
            Map.of("console", "limiter-console", "gateway", "limiter-spring-cloud");

    /** Without its module, calls would pass that should be limited. */
    private static final ConfigurationPropertyName CLIENTS = ROOT.append("clients");

    private static final ConfigurationPropertyName RULES = ROOT.append("http");

    /** The elements of limiter.http.rule. */
    private static final int RULE = 3;

    /** Variables that Kubernetes sets for a service whose name begins with limiter. */
    private static final Pattern OF_KUBERNETES = Pattern.compile(
            ".*\\.host|.*\\.service\\.port(\\W.*)?|.*\\.port(\\[\\d+\\]\\.(tcp|udp|sctp)(\\.(proto|port|addr))?)?");

    /** The elements of limiter.http.rule.limits.limit.plans. */
    private static final int PLANS_OF_RULE = 6;

    private static final Pattern PLAIN = Pattern.compile("[a-z0-9]+");

    private final Map<String, ResolvableType> known = new TreeMap<>();
    private final PropertyTree tree;

    PropertyNames() {
        this(ImportCandidates.load(PropertyNames.class, PropertyNames.class.getClassLoader())
                .getCandidates());
    }

    /** @param modules the records of other modules */
    PropertyNames(List<String> modules) {
        add(LimiterProperties.class);
        add(NamedProperties.class);
        modules.forEach(name -> add(ClassUtils.resolveClassName(name, PropertyNames.class.getClassLoader())));
        tree = new PropertyTree(ROOT, known);
    }

    private void add(Class<?> properties) {
        String prefix = Objects.requireNonNull(
                        properties.getAnnotation(ConfigurationProperties.class), properties::getName)
                .value();
        if (prefix.equals(ROOT.toString())) {
            known.putAll(PropertyTree.settings(ResolvableType.forClass(properties)));
        } else {
            known.put(prefix.substring(ROOT.toString().length() + 1), ResolvableType.forClass(properties));
        }
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        check(beans.getBean(ConfigurableApplicationContext.ENVIRONMENT_BEAN_NAME, Environment.class));
    }

    /**
     * Finds misspelt properties. Of environment variables only those that are nearly the name of a property are misspelt, because
     * others, such as {@code LIMITER_HOME}, may be for something else.
     *
     * @throws InvalidSettingException if there are some, with the nearest names
     */
    void check(Environment environment) {
        Map<ConfigurationPropertyName, String> problems = new LinkedHashMap<>();
        Set<ConfigurationPropertyName> inUse = inUse(environment);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            names(source).filter(name -> !isBound(name, isOfVariables(source))).forEach(name -> {
                String problem = problem(name, isOfVariables(source), inUse);
                if (problem != null) {
                    problems.put(name, problem);
                }
            });
        }
        if (!problems.isEmpty()) {
            List<String> all = new ArrayList<>(problems.values());
            ConfigurationPropertyName first = problems.keySet().iterator().next();
            throw new InvalidSettingException(
                    first.toString(),
                    String.join("\n    ", all).substring(first.toString().length()));
        }
    }

    /** Spring Boot binds a variable that has no dash of a property, or an underscore for each; {@link #binder} binds others too. */
    private boolean isBound(ConfigurationPropertyName name, boolean variable) {
        ConfigurationPropertyName found = tree.find(name, variable, (map, key) -> map);
        if (found == null
                || !variable
                || PropertyTree.isMap(Objects.requireNonNull(known.get(found.getElement(1, Form.DASHED))))) {
            return found != null;
        }
        ConfigurationPropertyName split =
                ConfigurationPropertyName.adapt(found.toString().replace('-', '.'), '.');
        return name.equals(found) || name.equals(split);
    }

    private @Nullable String problem(
            ConfigurationPropertyName name, boolean variable, Set<ConfigurationPropertyName> inUse) {
        if (variable && OF_KUBERNETES.matcher(name.toString()).matches()) {
            return null;
        }
        String module = MODULES.get(name.getElement(1, Form.UNIFORM));
        if (module != null && !known.containsKey(name.getElement(1, Form.UNIFORM))) {
            log.warn("{} has no effect, because the module {} is not on the class path", name, module);
            return null;
        }
        if (CLIENTS.isAncestorOf(name) && !known.containsKey("clients")) {
            if (variable && !hasLimits(name)) {
                warnOfVariable(name);
                return null;
            }
            return name + (variable ? ", an environment variable," : "")
                    + " needs a module that is missing: add the dependency io.limiter:limiter-spring-client, or remove"
                    + " the property";
        }
        ConfigurationPropertyName inBrackets = variable ? null : tree.find(name, true, PropertyNames::inBrackets);
        if (inBrackets != null) {
            return name + " is no property: write a name with other characters than letters, digits and dashes, such as"
                    + " dots, in brackets: " + inBrackets;
        }
        PropertyTree.Place place = tree.place(name);
        String nearest = place.nearest(variable);
        if (nearest != null && !(variable && isInvented(place.parent(), inUse))) {
            return name + " is no property: did you mean " + nearest + "?";
        }
        if (!variable) {
            return name + " is no property: remove it, or use one of "
                    + String.join(", ", place.settings().keySet());
        }
        if (place.parent().getNumberOfElements() > 1) {
            warnOfVariable(name);
        }
        return null;
    }

    private static void warnOfVariable(ConfigurationPropertyName name) {
        log.warn("The environment variable of {} is no property of the limiter, and has no effect", name);
    }

    /** Every client has one, so a variable without is for something else. */
    private static boolean hasLimits(ConfigurationPropertyName client) {
        return IntStream.range(RULE, client.getNumberOfElements())
                .anyMatch(i -> client.getElement(i, Form.UNIFORM).equals("limits"));
    }

    /** The rules and clients that have a setting, as {@code limiter.http.api}. */
    private Set<ConfigurationPropertyName> inUse(Environment environment) {
        Set<ConfigurationPropertyName> inUse = new HashSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            names(source)
                    .map(name -> tree.find(name, isOfVariables(source), PropertyNames::inBrackets))
                    .filter(found -> found != null && isOfRuleOrClient(found))
                    .forEach(found -> inUse.add(found.chop(RULE)));
        }
        return inUse;
    }

    private static boolean isOfRuleOrClient(ConfigurationPropertyName name) {
        return name.getNumberOfElements() >= RULE && (RULES.isAncestorOf(name) || CLIENTS.isAncestorOf(name));
    }

    /** Whether only this variable would be of the rule or client, which needs others, so it is for something else. */
    private static boolean isInvented(ConfigurationPropertyName parent, Set<ConfigurationPropertyName> inUse) {
        return isOfRuleOrClient(parent) && !inUse.contains(parent.chop(RULE));
    }

    private static ConfigurationPropertyName inBrackets(ConfigurationPropertyName map, String key) {
        return map.append(PLAIN.matcher(key).matches() ? key : "[" + key + "]");
    }

    /**
     * Reads properties with names in them. Environment variables have no dashes, dots and capitals, so they are taken for the names that
     * other sources write with them.
     */
    Binder binder(Environment environment) {
        Set<ConfigurationPropertyName> written = new LinkedHashSet<>();
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        ConfigurationPropertySources.get(environment).forEach(sources::add);
        sources.stream()
                .filter(source -> !isOfVariables(source))
                .flatMap(PropertyNames::names)
                .forEach(written::add);
        sources.replaceAll(source -> isOfVariables(source) ? variables(source, written) : source);
        return new Binder(sources, new PropertySourcesPlaceholdersResolver(environment));
    }

    @Override
    public <T> Map<String, T> read(String property, Class<T> type, Environment environment) {
        return new TreeMap<>(binder(environment)
                .bind(property, Bindable.mapOf(String.class, type))
                .orElse(Map.of()));
    }

    /** The rules for HTTP requests, in the order of their names. */
    Map<String, HttpRule> rules(Environment environment) {
        return read(HttpRule.PROPERTY, HttpRule.class, environment);
    }

    private ConfigurationPropertySource variables(
            ConfigurationPropertySource source, Set<ConfigurationPropertyName> written) {
        Map<ConfigurationPropertyName, ConfigurationPropertyName> names = new LinkedHashMap<>();
        names(source).forEach(name -> {
            ConfigurationPropertyName found = tree.find(name, true, (map, key) -> asWritten(map, key, written));
            if (found != null) {
                names.put(found, name);
            }
        });
        return new RenamedVariables(source, names);
    }

    private static ConfigurationPropertyName asWritten(
            ConfigurationPropertyName map, String key, Set<ConfigurationPropertyName> written) {
        int at = map.getNumberOfElements();
        String uniform = ConfiguredLimits.uniform(key);
        List<ConfigurationPropertyName> named = written.stream()
                .filter(name -> name.getNumberOfElements() > at
                        && ConfiguredLimits.uniform(name.getElement(at, Form.ORIGINAL))
                                .equals(uniform))
                .map(name -> name.chop(at + 1))
                .distinct()
                .toList();
        List<ConfigurationPropertyName> found =
                named.stream().filter(map::isParentOf).toList();
        if (found.size() > 1) {
            throw new InvalidSettingException(
                    found.get(0).toString(),
                    " and " + found.get(1)
                            + " have the same environment variables, and one is set: rename one of them");
        }
        // The limits of a rule share the plan of a request, so its name is written as for another limit of the rule.
        return Stream.concat(found.stream(), named.stream().filter(name -> isPlanOfSameRule(map, name)))
                .findFirst()
                .map(name -> map.append(name.subName(at)))
                .orElseGet(() -> inBrackets(map, uniform));
    }

    private static boolean isPlanOfSameRule(ConfigurationPropertyName map, ConfigurationPropertyName plan) {
        return map.getNumberOfElements() == PLANS_OF_RULE
                && map.chop(PLANS_OF_RULE - 3).isAncestorOf(plan)
                && map.getElement(PLANS_OF_RULE - 1, Form.UNIFORM)
                        .equals(plan.getElement(PLANS_OF_RULE - 1, Form.UNIFORM));
    }

    private static boolean isOfVariables(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
    }

    private static Stream<ConfigurationPropertyName> names(ConfigurationPropertySource source) {
        return source instanceof IterableConfigurationPropertySource all
                ? all.stream().filter(ROOT::isAncestorOf)
                : Stream.empty();
    }
}
