package io.limiter.spring.settings;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;

/**
 * How names of the application are spelt. Names that differ only in case, dashes and underscores are one entry of a map, because
 * Spring Boot reads the properties of each under all of them: bound as several entries, a rule would count twice. The spelling is that
 * of the source that is overridden by all others, so that a profile or an argument changes no stored key.
 */
final class Spellings {

    /** The elements of limiter.http.rule.limits.limit.plans. */
    private static final int PLANS_OF_RULE = 6;

    private final PropertyTree tree;
    private final Set<ConfigurationPropertyName> written = new LinkedHashSet<>();

    /** By the name of the map, and by their uniform spelling. */
    private final Map<ConfigurationPropertyName, Map<String, String>> entries = new HashMap<>();

    /** @param sources the first overrides the others */
    Spellings(PropertyTree tree, List<ConfigurationPropertySource> sources) {
        this.tree = tree;
        for (int i = sources.size() - 1; i >= 0; i--) {
            if (!RenamedProperties.isOfVariables(sources.get(i))) {
                written.addAll(names(sources.get(i)).keySet());
            }
        }
    }

    /** The source with the names that are used; it may be one of environment variables. */
    ConfigurationPropertySource applied(ConfigurationPropertySource source) {
        boolean variables = RenamedProperties.isOfVariables(source);
        Map<ConfigurationPropertyName, ConfigurationPropertyName> names = names(source);
        return names.isEmpty() && !variables ? source : new RenamedProperties(source, names);
    }

    /** The names in the source by those that are used. */
    private Map<ConfigurationPropertyName, ConfigurationPropertyName> names(ConfigurationPropertySource source) {
        boolean variables = RenamedProperties.isOfVariables(source);
        Map<ConfigurationPropertyName, ConfigurationPropertyName> names = new LinkedHashMap<>();
        tree.names(source).forEach(name -> {
            ConfigurationPropertyName found =
                    tree.find(name, variables, (map, key) -> variables ? asWritten(map, key) : entry(map, name));
            if (found != null) {
                names.putIfAbsent(found, name);
            }
        });
        return names;
    }

    private ConfigurationPropertyName entry(ConfigurationPropertyName map, ConfigurationPropertyName name) {
        int at = map.getNumberOfElements();
        String key = name.getElement(at, Form.ORIGINAL);
        String uniform = ConfiguredLimits.isPlain(key) ? ConfiguredLimits.uniform(key) : key;
        String spelling = entries.computeIfAbsent(map, added -> new HashMap<>()).computeIfAbsent(uniform, added -> key);
        return PropertyTree.entry(map, spelling);
    }

    private ConfigurationPropertyName asWritten(ConfigurationPropertyName map, String key) {
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
                .map(name -> PropertyTree.entry(map, name.getElement(at, Form.ORIGINAL)))
                .orElseGet(() -> PropertyTree.entry(map, uniform));
    }

    private static boolean isPlanOfSameRule(ConfigurationPropertyName map, ConfigurationPropertyName plan) {
        return map.getNumberOfElements() == PLANS_OF_RULE
                && map.chop(PLANS_OF_RULE - 3).isAncestorOf(plan)
                && map.getElement(PLANS_OF_RULE - 1, Form.UNIFORM)
                        .equals(plan.getElement(PLANS_OF_RULE - 1, Form.UNIFORM));
    }
}
