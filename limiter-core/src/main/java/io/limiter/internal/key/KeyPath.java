package io.limiter.internal.key;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The nested keys of a view, and the stored key of their permits.
 *
 * @param parts several nested keys; none if there is one at most
 * @param key the key shown to callers; {@code null} for the limiter itself
 * @param countedKey the key in statistics, which leave out a hash tag; {@code null} for the limiter itself
 * @param backendKey the stored key
 */
public record KeyPath(
        List<String> parts, @Nullable String key, @Nullable String countedKey, String backendKey) {

    public static KeyPath own(KeySpace keys) {
        return new KeyPath(List.of(), null, null, keys.own());
    }

    /** Whether it is that of a view, to which further keys are added. */
    public boolean isOfKey() {
        return key != null;
    }

    /** All nested keys, the outermost first; none of the limiter itself. */
    public List<String> all() {
        return parts.isEmpty() && key != null ? List.of(key) : parts;
    }

    /**
     * @throws IllegalArgumentException if the key is blank
     */
    public KeyPath on(KeySpace keys, String next) {
        if (key == null) {
            return new KeyPath(List.of(), next, next, keys.of(next));
        }
        List<String> all = Stream.concat(all().stream(), Stream.of(next)).toList();
        String backendKey = keys.of(all);
        List<String> counted = keys.firstIsHashTag() ? all.subList(1, all.size()) : all;
        return new KeyPath(all, readable(all), readable(counted), backendKey);
    }

    private static String readable(List<String> keys) {
        return keys.size() == 1
                ? keys.get(0)
                : keys.stream().map(KeyPath::encode).collect(Collectors.joining("#"));
    }

    /** Encodes the separator, so that no single key looks like two. */
    private static String encode(String key) {
        return key.replace("%", "%25").replace("#", "%23");
    }
}
