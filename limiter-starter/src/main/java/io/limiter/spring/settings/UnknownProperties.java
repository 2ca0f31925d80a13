package io.limiter.spring.settings;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/** Finds properties under {@code limiter} that are none, such as misspelt ones. */
public final class UnknownProperties {

    private static final Logger log = LoggerFactory.getLogger(UnknownProperties.class);

    /** The modules that may be missing where applications share properties, by the first part of their properties. */
    private static final Map<String, String> MODULES =
            Map.of("console", "limiter-console", "gateway", "limiter-spring-cloud");

    /** Without its module, calls would pass that should be limited. */
    private static final ConfigurationPropertyName CLIENTS = ConfigurationPropertyName.of("limiter.clients");

    private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("limiter.http");

    /** The elements of limiter.http.rule. */
    private static final int RULE = 3;

    /** Variables that Kubernetes sets for a service whose name begins with limiter. */
    private static final Pattern OF_KUBERNETES = Pattern.compile(
            ".*\\.host|.*\\.service\\.port(\\W.*)?|.*\\.port(\\[\\d+\\]\\.(tcp|udp|sctp)(\\.(proto|port|addr))?)?");

    private final PropertyTree tree;

    /** @param tree all properties that there are */
    public UnknownProperties(PropertyTree tree) {
        this.tree = tree;
    }

    /**
     * Finds misspelt properties. Of environment variables only those that are nearly the name of a property are misspelt, because
     * others, such as {@code LIMITER_HOME}, may be for something else.
     *
     * @throws InvalidSettingException if there are some, with the nearest names
     */
    public void check(Environment environment) {
        Map<ConfigurationPropertyName, String> problems = new LinkedHashMap<>();
        Set<ConfigurationPropertyName> inUse = inUse(environment);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            boolean variables = RenamedVariables.isOfVariables(source);
            tree.names(source).filter(name -> !isBound(name, variables)).forEach(name -> {
                String problem = problem(name, variables, inUse);
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

    /** Spring Boot binds a variable that has no dash of a property, or an underscore for each; {@link NamedBinder} binds others too. */
    private boolean isBound(ConfigurationPropertyName name, boolean variable) {
        ConfigurationPropertyName found = tree.find(name, variable, (map, key) -> map);
        if (found == null || !variable || tree.hasNames(found)) {
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
        if (module != null && !tree.has(name.getElement(1, Form.UNIFORM))) {
            log.warn("{} has no effect, because the module {} is not on the class path", name, module);
            return null;
        }
        if (CLIENTS.isAncestorOf(name) && !tree.has("clients")) {
            if (variable && !hasLimits(name)) {
                warnOfVariable(name);
                return null;
            }
            return name + (variable ? ", an environment variable," : "")
                    + " needs a module that is missing: add the dependency io.limiter:limiter-spring-client, or remove"
                    + " the property";
        }
        ConfigurationPropertyName inBrackets = variable ? null : tree.find(name, true, PropertyTree::entry);
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
            boolean variables = RenamedVariables.isOfVariables(source);
            tree.names(source)
                    .map(name -> tree.find(name, variables, PropertyTree::entry))
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
}
