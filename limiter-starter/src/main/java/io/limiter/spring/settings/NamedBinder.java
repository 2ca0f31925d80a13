package io.limiter.spring.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/**
 * Reads properties with names of the application in them. Environment variables have no dashes, dots and capitals, so they are taken
 * for the names that other sources write with them.
 */
public final class NamedBinder {

    /** The elements of limiter.http.rule.limits.limit.plans. */
    private static final int PLANS_OF_RULE = 6;

    private NamedBinder() {}

    public static Binder of(Environment environment, PropertyTree tree) {
        Set<ConfigurationPropertyName> written = new LinkedHashSet<>();
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        ConfigurationPropertySources.get(environment).forEach(sources::add);
        sources.stream()
                .filter(source -> !RenamedVariables.isOfVariables(source))
                .flatMap(tree::names)
                .forEach(written::add);
        sources.replaceAll(
                source -> RenamedVariables.isOfVariables(source) ? variables(source, tree, written) : source);
        return new Binder(sources, new PropertySourcesPlaceholdersResolver(environment));
    }

    private static ConfigurationPropertySource variables(
            ConfigurationPropertySource source, PropertyTree tree, Set<ConfigurationPropertyName> written) {
        Map<ConfigurationPropertyName, ConfigurationPropertyName> names = new LinkedHashMap<>();
        tree.names(source).forEach(name -> {
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
                .orElseGet(() -> PropertyTree.entry(map, uniform));
    }

    private static boolean isPlanOfSameRule(ConfigurationPropertyName map, ConfigurationPropertyName plan) {
        return map.getNumberOfElements() == PLANS_OF_RULE
                && map.chop(PLANS_OF_RULE - 3).isAncestorOf(plan)
                && map.getElement(PLANS_OF_RULE - 1, Form.UNIFORM)
                        .equals(plan.getElement(PLANS_OF_RULE - 1, Form.UNIFORM));
    }
}
