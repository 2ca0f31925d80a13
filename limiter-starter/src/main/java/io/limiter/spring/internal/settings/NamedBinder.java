package io.limiter.spring.internal.settings;

import io.limiter.spring.settings.InvalidSettingException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Reads properties with names of the application in them. Names that differ only in case, dashes and underscores are one entry of a
 * map, because Spring Boot reads the properties of each under all of them: bound as several entries, a rule would count twice. The
 * spelling is that of the source that is overridden by all others, so that a profile or an argument changes no stored key. Environment
 * variables have no dashes, dots and capitals, so they are taken for the names that other sources write with them.
 */
public final class NamedBinder {

    /** The elements of limiter.http.rule.limits.limit.plans. */
    private static final int PLANS_OF_RULE = 6;

    private final PropertyTree tree;
    private final Set<ConfigurationPropertyName> written = new LinkedHashSet<>();

    /** The spellings of names by the name of the map, and by their uniform spelling. */
    private final Map<ConfigurationPropertyName, Map<String, String>> entries = new HashMap<>();

    private NamedBinder(PropertyTree tree) {
        this.tree = tree;
    }

    /** @param tree the properties that the environment may have */
    public static Binder of(Environment environment, PropertyTree tree) {
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        ConfigurationPropertySources.get(environment).forEach(sources::add);
        NamedBinder names = new NamedBinder(tree);
        // The first overrides the others.
        for (int i = sources.size() - 1; i >= 0; i--) {
            if (!isOfVariables(sources.get(i))) {
                names.written.addAll(names.read(sources.get(i)).keySet());
            }
        }
        sources.replaceAll(names::respelt);
        return new Binder(
                sources, new PropertySourcesPlaceholdersResolver(environment), null, null, new ExplainedFractions());
    }

    /** Whether a source has environment variables. */
    static boolean isOfVariables(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
    }

    private ConfigurationPropertySource respelt(ConfigurationPropertySource source) {
        Map<ConfigurationPropertyName, ConfigurationPropertyName> names = read(source);
        return names.isEmpty() && !isOfVariables(source) ? source : new Respelt(source, names);
    }

    /** The names in the source by those that are used. */
    private Map<ConfigurationPropertyName, ConfigurationPropertyName> read(ConfigurationPropertySource source) {
        boolean variables = isOfVariables(source);
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

    /**
     * Properties under other names.
     *
     * @param names the names in the source by the names here; properties without one are left out
     */
    private record Respelt(
            ConfigurationPropertySource source, Map<ConfigurationPropertyName, ConfigurationPropertyName> names)
            implements IterableConfigurationPropertySource {

        @Override
        public @Nullable ConfigurationProperty getConfigurationProperty(ConfigurationPropertyName name) {
            ConfigurationPropertyName own = names.get(name);
            return own == null ? null : source.getConfigurationProperty(own);
        }

        @Override
        public Stream<ConfigurationPropertyName> stream() {
            return names.keySet().stream();
        }
    }

    /** Says how a rate is written that an annotation has as a fraction. */
    private static final class ExplainedFractions implements BindHandler {

        /** Such as 1.0/60 or 100/1m. */
        private static final Pattern FRACTION =
                Pattern.compile("\\s*([\\d.]+)\\s*/\\s*([\\d.]+)?\\s*(\\p{Alpha}*)\\s*");

        @Override
        public Object onFailure(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                throws Exception {
            ConfigurationProperty property = context.getConfigurationProperty();
            if (property != null && name.getLastElement(Form.UNIFORM).equals("rate")) {
                Matcher fraction = FRACTION.matcher(String.valueOf(property.getValue()));
                if (fraction.matches()) {
                    String count = fraction.group(2) == null ? "1" : fraction.group(2);
                    String unit = fraction.group(3).isEmpty() ? "s" : fraction.group(3);
                    throw new InvalidSettingException(
                            name.toString(),
                            " must be a number, because a property cannot contain arithmetic, was '"
                                    + property.getValue() + "': set rate=" + fraction.group(1) + " and per=" + count
                                    + unit,
                            error);
                }
            }
            throw error;
        }
    }
}
