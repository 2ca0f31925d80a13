package io.limiter.spring.internal.settings;

import io.limiter.internal.text.NearestName;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.ResolvableType;

/** The properties below a name, by the records that they are bound to. Safe for use by many threads. */
public final class PropertyTree {

    /** Because each property that is set is looked for from the root, a record would be read by reflection hundreds of times at a start. */
    private static final ClassValue<Map<String, ResolvableType>> SETTINGS = new ClassValue<>() {
        @Override
        protected Map<String, ResolvableType> computeValue(Class<?> type) {
            return read(type);
        }
    };

    private final ConfigurationPropertyName root;
    private final Map<String, ResolvableType> known;

    /** @param known the types of the settings below the root, by their names */
    public PropertyTree(ConfigurationPropertyName root, Map<String, ResolvableType> known) {
        this.root = root;
        this.known = new TreeMap<>(known);
    }

    /** The settings of a record, by their names. */
    public static Map<String, ResolvableType> settings(ResolvableType type) {
        return SETTINGS.get(type.toClass());
    }

    private static Map<String, ResolvableType> read(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        Parameter[] parameters = type.getDeclaredConstructors()[0].getParameters();
        Map<String, ResolvableType> settings = new LinkedHashMap<>();
        for (int i = 0; i < components.length; i++) {
            Name named = parameters[i].getAnnotation(Name.class);
            settings.put(
                    named == null ? DataObjectPropertyName.toDashedForm(components[i].getName()) : named.value(),
                    ResolvableType.forType(components[i].getGenericType()));
        }
        return Collections.unmodifiableMap(settings);
    }

    /** Whether it has a setting right below its root. */
    boolean has(String setting) {
        return known.containsKey(setting);
    }

    /** Whether the setting that a name begins with has names of the application in it. */
    boolean hasNames(ConfigurationPropertyName name) {
        return isMap(Objects.requireNonNull(known.get(name.getElement(1, Form.DASHED))));
    }

    /** The names below its root. */
    Stream<ConfigurationPropertyName> names(ConfigurationPropertySource source) {
        return source instanceof IterableConfigurationPropertySource all
                ? all.stream().filter(root::isAncestorOf)
                : Stream.empty();
    }

    /** The name of an entry of a map, in brackets if properties need them. */
    static ConfigurationPropertyName entry(ConfigurationPropertyName map, String key) {
        return ConfiguredLimits.isPlain(key)
                ? map.append(ConfigurationPropertyName.adapt(key, '.'))
                : map.append("[" + key + "]");
    }

    /**
     * The property of a name.
     *
     * @param variable whether it is an environment variable, where one name may be several elements
     * @param key appends a key to the name of a map
     * @return {@code null} if there is none
     */
    @Nullable
    ConfigurationPropertyName find(
            ConfigurationPropertyName name,
            boolean variable,
            BiFunction<ConfigurationPropertyName, String, ConfigurationPropertyName> key) {
        return new Search(variable, key).find(root, known, elements(name));
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
            // A file may write a value behind such a name: in YAML, Spring Boot says what is expected.
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
    Place place(ConfigurationPropertyName name) {
        ConfigurationPropertyName parent = root;
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
    record Place(ConfigurationPropertyName parent, Map<String, ResolvableType> settings, List<String> rest) {

        /** The nearest name that exists; {@code null} if none is like it. */
        @Nullable
        Near nearest() {
            String unknown = ConfiguredLimits.uniform(String.join("", rest));
            Near nearest = null;
            for (String candidate : candidates("", settings)) {
                String uniform = ConfiguredLimits.uniform(candidate);
                Near near =
                        new Near(parent + "." + candidate, uniform.length(), NearestName.distance(unknown, uniform));
                boolean isLike = near.isMisspelt() || near.distance() <= unknown.length() / 3;
                if (isLike && (nearest == null || near.distance() < nearest.distance())) {
                    nearest = near;
                }
            }
            return nearest;
        }

        /** With names of maps for the first of the unknown parts, and the other parts behind them. */
        private List<String> candidates(String prefix, Map<String, ResolvableType> of) {
            List<String> candidates = new ArrayList<>();
            of.forEach((setting, type) -> {
                if (type.toClass().isRecord()) {
                    candidates.addAll(candidates(prefix + setting + ".", PropertyTree.settings(type)));
                } else if (!isMap(type)) {
                    candidates.add(prefix + setting);
                } else if (rest.size() > 2) {
                    candidates.add(prefix + setting + "." + String.join(".", rest.subList(1, rest.size())));
                }
            });
            return candidates;
        }
    }

    /**
     * A property with a name like another.
     *
     * @param length of the part that differs
     * @param distance how many letters differ
     */
    record Near(String name, int length, int distance) {

        private static final int MISSPELT = 2;

        /** Whether the other name is this one, misspelt. A name of three letters with two others is another word. */
        boolean isMisspelt() {
            return distance <= Math.min(MISSPELT, length / 2);
        }
    }
}
