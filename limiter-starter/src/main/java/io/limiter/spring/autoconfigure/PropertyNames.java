package io.limiter.spring.autoconfigure;

import io.limiter.spring.settings.ConfiguredLimits;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.settings.NamedSettings;
import io.limiter.spring.settings.RenamedVariables;
import io.limiter.spring.text.NearestName;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
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
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
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

    /** Variables that Kubernetes sets for a service whose name begins with limiter. */
    private static final Pattern OF_KUBERNETES = Pattern.compile(
            ".*\\.host|.*\\.service\\.port(\\W.*)?|.*\\.port(\\[\\d+\\]\\.(tcp|udp|sctp)(\\.(proto|port|addr))?)?");

    /** The elements of limiter.http.rule.limits.limit.plans. */
    private static final int PLANS_OF_RULE = 6;

    private static final Pattern PLAIN = Pattern.compile("[a-z0-9]+");

    private final Map<String, ResolvableType> known = new TreeMap<>();

    PropertyNames() {
        this(ImportCandidates.load(PropertyNames.class, PropertyNames.class.getClassLoader())
                .getCandidates());
    }

    /** @param modules the records of other modules */
    PropertyNames(List<String> modules) {
        add(LimiterProperties.class);
        add(NamedProperties.class);
        modules.forEach(name -> add(ClassUtils.resolveClassName(name, PropertyNames.class.getClassLoader())));
    }

    private void add(Class<?> properties) {
        String prefix = Objects.requireNonNull(
                        properties.getAnnotation(ConfigurationProperties.class), properties::getName)
                .value();
        if (prefix.equals(ROOT.toString())) {
            known.putAll(settings(ResolvableType.forClass(properties)));
        } else {
            known.put(prefix.substring(ROOT.toString().length() + 1), ResolvableType.forClass(properties));
        }
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        check(beans.getBean(ConfigurableApplicationContext.ENVIRONMENT_BEAN_NAME, Environment.class));
    }

    /** The settings of a record, by their names. */
    private static Map<String, ResolvableType> settings(ResolvableType type) {
        RecordComponent[] components = type.toClass().getRecordComponents();
        Parameter[] parameters = type.toClass().getDeclaredConstructors()[0].getParameters();
        Map<String, ResolvableType> settings = new LinkedHashMap<>();
        for (int i = 0; i < components.length; i++) {
            Name named = parameters[i].getAnnotation(Name.class);
            settings.put(
                    named == null ? DataObjectPropertyName.toDashedForm(components[i].getName()) : named.value(),
                    ResolvableType.forType(components[i].getGenericType()));
        }
        return settings;
    }

    /**
     * Finds misspelt properties. Of environment variables only those that are nearly the name of a property are misspelt, because
     * others, such as {@code LIMITER_HOME}, may be for something else.
     *
     * @throws InvalidSettingException if there are some, with the nearest names
     */
    void check(Environment environment) {
        Map<ConfigurationPropertyName, String> problems = new LinkedHashMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            names(source).filter(name -> !isBound(name, isOfVariables(source))).forEach(name -> {
                String problem = problem(name, isOfVariables(source));
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
        ConfigurationPropertyName found = named(name, variable, (map, key) -> map);
        if (found == null || !variable || isMap(Objects.requireNonNull(known.get(found.getElement(1, Form.DASHED))))) {
            return found != null;
        }
        ConfigurationPropertyName split =
                ConfigurationPropertyName.adapt(found.toString().replace('-', '.'), '.');
        return name.equals(found) || name.equals(split);
    }

    private @Nullable String problem(ConfigurationPropertyName name, boolean variable) {
        if (variable && OF_KUBERNETES.matcher(name.toString()).matches()) {
            return null;
        }
        String module = MODULES.get(name.getElement(1, Form.UNIFORM));
        if (module != null && !known.containsKey(name.getElement(1, Form.UNIFORM))) {
            log.warn("{} has no effect, because the module {} is not on the class path", name, module);
            return null;
        }
        if (CLIENTS.isAncestorOf(name) && !known.containsKey("clients")) {
            return name
                    + " needs a module that is missing: add the dependency io.limiter:limiter-spring-client, or remove"
                    + " the property";
        }
        ConfigurationPropertyName inBrackets = variable ? null : named(name, true, PropertyNames::inBrackets);
        if (inBrackets != null) {
            return name + " is no property: write a name with other characters than letters, digits and dashes, such as"
                    + " dots, in brackets: " + inBrackets;
        }
        Place place = place(name);
        String nearest = place.nearest(variable);
        if (nearest != null) {
            return name + " is no property: did you mean " + nearest + "?";
        }
        if (!variable) {
            return name + " is no property: remove it, or use one of "
                    + String.join(", ", place.settings().keySet());
        }
        if (place.parent().getNumberOfElements() > 1) {
            log.warn("The environment variable of {} is no property of the limiter, and has no effect", name);
        }
        return null;
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
            ConfigurationPropertyName found = named(name, true, (map, key) -> asWritten(map, key, written));
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

    /**
     * The property of a name.
     *
     * @param variable whether it is an environment variable, where one name may be several elements
     * @param key appends a key to the name of a map
     * @return {@code null} if there is none
     */
    private @Nullable ConfigurationPropertyName named(
            ConfigurationPropertyName name,
            boolean variable,
            BiFunction<ConfigurationPropertyName, String, ConfigurationPropertyName> key) {
        return new Search(variable, key).find(ROOT, known, elements(name));
    }

    private static List<String> elements(ConfigurationPropertyName name) {
        return IntStream.range(1, name.getNumberOfElements())
                .mapToObj(i -> name.getElement(i, Form.ORIGINAL))
                .toList();
    }

    private record Search(
            boolean variable, BiFunction<ConfigurationPropertyName, String, ConfigurationPropertyName> key) {

        @Nullable
        ConfigurationPropertyName find(
                ConfigurationPropertyName parent, Map<String, ResolvableType> settings, List<String> rest) {
            for (int taken = 1; taken <= longest(rest); taken++) {
                String setting = setting(settings, String.join("", rest.subList(0, taken)));
                ConfigurationPropertyName found = setting == null
                        ? null
                        : find(
                                parent.append(setting),
                                Objects.requireNonNull(settings.get(setting)),
                                rest.subList(taken, rest.size()));
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        private @Nullable ConfigurationPropertyName find(
                ConfigurationPropertyName parent, ResolvableType type, List<String> rest) {
            // Of no value that a file writes behind a name, such as limits: in YAML, Spring Boot says what is expected.
            if (rest.isEmpty()) {
                return variable && (type.toClass().isRecord() || isMap(type)) ? null : parent;
            }
            if (type.toClass().isRecord()) {
                return find(parent, settings(type), rest);
            }
            if (!isMap(type)) {
                boolean element = Collection.class.isAssignableFrom(type.toClass())
                        && rest.size() == 1
                        && rest.get(0).chars().allMatch(Character::isDigit);
                return element ? parent.append("[" + rest.get(0) + "]") : null;
            }
            for (int taken = 1; taken <= longest(rest); taken++) {
                ConfigurationPropertyName found = find(
                        key.apply(parent, String.join(".", rest.subList(0, taken))),
                        type.getGeneric(1),
                        rest.subList(taken, rest.size()));
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        private int longest(List<String> rest) {
            return variable ? rest.size() : 1;
        }
    }

    private static boolean isMap(ResolvableType type) {
        return Map.class.isAssignableFrom(type.toClass());
    }

    private static @Nullable String setting(Map<String, ResolvableType> settings, String name) {
        String uniform = ConfiguredLimits.uniform(name);
        return settings.keySet().stream()
                .filter(setting -> ConfiguredLimits.uniform(setting).equals(uniform))
                .findFirst()
                .orElse(null);
    }

    /** The last place on the way to an unknown name that exists. */
    private Place place(ConfigurationPropertyName name) {
        ConfigurationPropertyName parent = ROOT;
        Map<String, ResolvableType> settings = known;
        List<String> rest = elements(name);
        while (true) {
            String setting = rest.isEmpty() ? null : setting(settings, rest.get(0));
            ResolvableType type = setting == null ? null : settings.get(setting);
            int taken = type != null && isMap(type) ? 2 : 1;
            ResolvableType inside = type != null && isMap(type) ? type.getGeneric(1) : type;
            if (inside == null || !inside.toClass().isRecord() || rest.size() <= taken) {
                return new Place(parent, settings, rest);
            }
            parent = name.chop(parent.getNumberOfElements() + taken);
            settings = settings(inside);
            rest = rest.subList(taken, rest.size());
        }
    }

    /** @param rest the unknown part of the name */
    private record Place(ConfigurationPropertyName parent, Map<String, ResolvableType> settings, List<String> rest) {

        /** The nearest name that exists; {@code null} if none is near. Of a variable fewer letters may differ. */
        @Nullable
        String nearest(boolean variable) {
            String unknown = ConfiguredLimits.uniform(String.join("", rest));
            int most = unknown.length() / 3;
            int least = (variable ? Math.min(2, Math.max(1, most)) : Math.max(2, most)) + 1;
            String nearest = null;
            for (String candidate : candidates("", settings)) {
                int distance = NearestName.distance(unknown, ConfiguredLimits.uniform(candidate));
                if (distance < least) {
                    least = distance;
                    nearest = parent + "." + candidate;
                }
            }
            return nearest;
        }

        /** With names of maps for the first of the unknown parts, and the other parts behind them. */
        private List<String> candidates(String prefix, Map<String, ResolvableType> of) {
            List<String> candidates = new ArrayList<>();
            of.forEach((setting, type) -> {
                if (type.toClass().isRecord()) {
                    candidates.addAll(candidates(prefix + setting + ".", PropertyNames.settings(type)));
                } else if (!isMap(type)) {
                    candidates.add(prefix + setting);
                } else if (rest.size() > 2) {
                    candidates.add(prefix + setting + "." + String.join(".", rest.subList(1, rest.size())));
                }
            });
            return candidates;
        }
    }
}
