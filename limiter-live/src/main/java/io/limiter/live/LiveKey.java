package io.limiter.live;

import io.limiter.internal.key.KeyText;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A key path of a limit as live limits name it, or its hash: the permits of {@code limiter.on("acme").on("ann")} have the live limit
 * of {@code LiveKey.of("acme", "ann")}, and no others.
 */
public final class LiveKey {

    private static final int MAX_LENGTH = 1_000;
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{16}");

    private final String value;
    private final boolean hashed;

    private LiveKey(String value, boolean hashed) {
        if (hashed) {
            if (!HASH.matcher(Objects.requireNonNull(value, "value")).matches()) {
                throw new IllegalArgumentException(
                        "the hash of a key must be 16 hexadecimal digits in lower case, as reports and"
                                + " the console show it, was '" + value + "'");
            }
        } else {
            List<String> keys = KeyText.keys(Objects.requireNonNull(value, "value"));
            // Operators type a % as it is.
            value = KeyText.of(keys);
            if (value.isBlank() || value.length() > MAX_LENGTH) {
                throw new IllegalArgumentException("key must have 1 to " + MAX_LENGTH + " characters, had "
                        + (value.isBlank() ? "none" : String.valueOf(value.length())));
            }
            if (keys.stream().anyMatch(String::isBlank)) {
                throw new IllegalArgumentException("no key of a key path must be blank, was '" + value
                        + "': # separates keys, so write a # within a key as %23");
            }
        }
        this.value = value;
        this.hashed = hashed;
    }

    /**
     * The keys as one text of 1 to 1,000 characters, in which {@code #} separates them. Within a key, {@code #} is written as {@code %23} and
     * {@code %} as {@code %25}. Or the hash of that text, which is 16 hexadecimal digits in lower case.
     */
    public String value() {
        return value;
    }

    /** Whether it is the hash. */
    public boolean hashed() {
        return hashed;
    }

    /**
     * The keys themselves, as a limiter gets them. They are stored hashed, unless {@link LiveOptions#showKeys()} or they have a live limit that is
     * not hashed.
     *
     * @param key the only key, or the outermost one
     * @param further the other keys, as in {@code on(key).on(further)}
     */
    public static LiveKey of(String key, String... further) {
        Objects.requireNonNull(key, "key");
        return of(Stream.concat(Stream.of(key), Arrays.stream(Objects.requireNonNull(further, "further")))
                .toList());
    }

    /** As {@link #of(String, String...)}, for the keys of {@link io.limiter.Limiter#keys()}. */
    public static LiveKey of(List<String> keys) {
        return new LiveKey(KeyText.of(List.copyOf(Objects.requireNonNull(keys, "keys"))), false);
    }

    /** The keys of a text as in {@link #value()}, which reports and the console show. */
    public static LiveKey parse(String text) {
        return new LiveKey(Objects.requireNonNull(text, "text"), false);
    }

    /** The keys of a text as in {@link #value()}, or its hash, as reports have both. */
    public static LiveKey parse(String text, boolean hashed) {
        return new LiveKey(Objects.requireNonNull(text, "text"), hashed);
    }

    /** The keys, the outermost first. Empty if only their hash is known. */
    public List<String> keys() {
        return hashed ? List.of() : KeyText.keys(value);
    }

    /** A key of which only the hash is known, as in {@link LimitReport#hottest()}. */
    public static LiveKey hashed(String hash) {
        return new LiveKey(Objects.requireNonNull(hash, "hash"), true);
    }

    @Override
    public String toString() {
        return hashed ? "#" + value : value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LiveKey that && value.equals(that.value) && hashed == that.hashed;
    }

    @Override
    public int hashCode() {
        return Objects.hash(value, hashed);
    }
}
