package io.limiter.internal.key;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The nested keys of a view, and the stored key of their permits.
 *
 * @param text the keys as {@link KeyText}; {@code null} for the limiter itself
 * @param storedKey the stored key
 */
public record KeyPath(@Nullable String text, String storedKey) {

    public static KeyPath own(KeySpace keys) {
        return new KeyPath(null, keys.own());
    }

    /** Whether it is that of a view, to which further keys are added. */
    public boolean isOfKey() {
        return text != null;
    }

    /** The nested keys, the outermost first; none of the limiter itself. */
    public List<String> keys() {
        return text == null ? List.of() : KeyText.keys(text);
    }

    /**
     * @throws IllegalArgumentException if the key is blank
     */
    public KeyPath on(KeySpace space, String next) {
        if (text == null) {
            KeySpace.BuiltKey built = space.built(next);
            return new KeyPath(built.text(), built.storedKey());
        }
        String storedKey =
                space.of(Stream.concat(keys().stream(), Stream.of(next)).toList());
        return new KeyPath(text + "#" + KeyText.of(next), storedKey);
    }
}
