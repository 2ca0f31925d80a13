package io.limiter.live;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A key of a limit as live limits name it: the key of callers, as statistics count it, or its hash. Of nested keys, such as a tenant and
 * its user, it is all of them, separated by {@code #}; a key that is only the {@linkplain io.limiter.HashTag hash tag} of others is left out.
 *
 * @param value the key, from 1 to 1,000 characters and not blank; or its hash, 16 hexadecimal digits in lower case
 * @param hashed whether it is the hash
 */
public record LiveKey(String value, boolean hashed) {

    private static final int MAX_LENGTH = 1_000;
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{16}");

    public LiveKey {
        if (hashed) {
            if (!HASH.matcher(Objects.requireNonNull(value, "value")).matches()) {
                throw new IllegalArgumentException(
                        "the hash of a key must be 16 hexadecimal digits in lower case, as reports and"
                                + " the console show it, was '" + value + "'");
            }
        } else if (Objects.requireNonNull(value, "value").isBlank() || value.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("key must have 1 to " + MAX_LENGTH + " characters, had "
                    + (value.isBlank() ? "none" : String.valueOf(value.length())));
        }
    }

    /** The key itself. It is stored hashed, unless {@link LiveOptions#showKeys()} or it has a live limit that is not. */
    public static LiveKey of(String key) {
        return new LiveKey(Objects.requireNonNull(key, "key"), false);
    }

    /** A key that is known by its hash only, as it is in {@link LimitReport#hottest()}. */
    public static LiveKey hashed(String hash) {
        return new LiveKey(Objects.requireNonNull(hash, "hash"), true);
    }

    @Override
    public String toString() {
        return hashed ? "#" + value : value;
    }
}
