package io.limiter.spring.internal.settings;

import io.limiter.spring.internal.settings.PropertyTree.Near;
import io.limiter.spring.internal.settings.PropertyTree.Place;
import io.limiter.spring.settings.InvalidSettingException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.Environment;

/**
 * Finds properties under {@code limiter} that are none. One that is nearly the name of a property is misspelt. Others are only
 * logged, because instances of an earlier version share their configuration with later ones.
 */
public final class UnknownProperties {

    private static final Logger log = LoggerFactory.getLogger(UnknownProperties.class);

    /** The modules that may be missing where applications share properties, by the first part of their properties. */
    private static final Map<String, String> MODULES =
            Map.of("clients", "limiter-spring-client", "console", "limiter-console", "gateway", "limiter-spring-cloud");

    private static final ConfigurationPropertyName CLIENTS = ConfigurationPropertyName.of("limiter.clients");
    private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("limiter.http");

    /** The elements of limiter.http.rule. */
    private static final int RULE = 3;

    /** Variables that Kubernetes sets for a service whose name begins with limiter. */
    private static final Pattern OF_KUBERNETES = Pattern.compile(
            ".*\\.service\\.host|.*\\.service\\.port(\\W.*)?|.*\\.port(\\[\\d+\\]\\.(tcp|udp|sctp)(\\.(proto|port|addr))?)?");

    private final PropertyTree tree;
    private final Set<ConfigurationPropertyName> logged = ConcurrentHashMap.newKeySet();

    /** @param tree all properties that there are */
    public UnknownProperties(PropertyTree tree) {
        this.tree = tree;
    }

    /**
     * Finds misspelt properties, and logs once which others are unknown.
     *
     * @throws InvalidSettingException if some are misspelt, with the nearest names
     */
    public void check(Environment environment) {
        Map<ConfigurationPropertyName, String> problems = new LinkedHashMap<>();
        Set<String> ofKubernetes = new TreeSet<>();
        Set<ConfigurationPropertyName> inUse = inUse(environment);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            boolean variables = NamedBinder.isOfVariables(source);
            tree.names(source).filter(name -> !isBound(name, variables)).forEach(name -> {
                if (variables && OF_KUBERNETES.matcher(name.toString()).matches()) {
                    if (logged.add(name)) {
                        ofKubernetes.add(written(source, name));
                    }
                    return;
                }
                Place place = tree.place(name);
                Near near = isMissingModule(name) ? null : place.nearest();
                if (near != null
                        && near.isMisspelt()
                        && inBrackets(name, variables) == null
                        && !(variables && isInvented(place.parent(), inUse))) {
                    problems.put(name, name + " is not a property: did you mean " + near.name() + "?");
                } else if (logged.add(name)) {
                    log.warn(
                            "{} is not a property of the limiter, and has no effect: {}",
                            variables ? "The environment variable " + written(source, name) : name,
                            remedy(name, variables, place, near));
                }
            });
        }
        if (!ofKubernetes.isEmpty()) {
            log.info(
                    "Ignored {}: such variables are set by Kubernetes for a service whose name begins with limiter",
                    ofKubernetes);
        }
        if (!problems.isEmpty()) {
            ConfigurationPropertyName first = problems.keySet().iterator().next();
            throw new InvalidSettingException(
                    first.toString(),
                    String.join("\n    ", problems.values())
                            .substring(first.toString().length()));
        }
    }

    /** The name of an environment variable. */
    private static String written(ConfigurationPropertySource source, ConfigurationPropertyName name) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        return property != null && property.getOrigin() instanceof PropertySourceOrigin origin
                ? origin.getPropertyName()
                : name.toString();
    }

    private String remedy(ConfigurationPropertyName name, boolean variable, Place place, @Nullable Near near) {
        if (isMissingModule(name)) {
            return "it belongs to the module " + MODULES.get(first(name)) + ", which is not on the class path";
        }
        ConfigurationPropertyName inBrackets = inBrackets(name, variable);
        if (inBrackets != null) {
            return "write a name with other characters than letters, digits and dashes, such as dots, in brackets: "
                    + inBrackets;
        }
        if (near != null) {
            return "did you mean " + near.name() + "?";
        }
        return variable
                ? "it may be for something else"
                : "remove it, or use one of "
                        + String.join(", ", place.settings().keySet());
    }

    private boolean isMissingModule(ConfigurationPropertyName name) {
        return MODULES.containsKey(first(name)) && !tree.has(first(name));
    }

    private static String first(ConfigurationPropertyName name) {
        return name.getElement(1, Form.UNIFORM);
    }

    /** The property of a name whose dots belong to a name of the application. */
    private @Nullable ConfigurationPropertyName inBrackets(ConfigurationPropertyName name, boolean variable) {
        ConfigurationPropertyName found = variable ? null : tree.find(name, true, PropertyTree::entry);
        return found == null || !tree.hasNames(found) ? null : found;
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

    /** The rules and clients that have a setting, as {@code limiter.http.api}. */
    private Set<ConfigurationPropertyName> inUse(Environment environment) {
        Set<ConfigurationPropertyName> inUse = new HashSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            boolean variables = NamedBinder.isOfVariables(source);
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
