package io.limiter.spring.check;

import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;

/**
 * The name of a limit. Limits with equal prefixes and names share their permits.
 *
 * @param prefix starts the keys in Redis
 * @param name of the limiter
 * @param policy the name in HTTP headers
 */
public record LimitName(String prefix, String name, String policy) {

    private static final int HASH_LENGTH = 8;

    /** A name from an annotation or configuration. Headers show it. */
    public static LimitName chosen(String prefix, String name) {
        return new LimitName(prefix, name, name);
    }

    /** A name made of a class and a method. Headers show a hash of it, which is the same in all instances. */
    public static LimitName ofMethod(String prefix, String name) {
        String hash = Hashing.sha256()
                .hashString(prefix + name, StandardCharsets.UTF_8)
                .toString();
        return new LimitName(prefix, name, "limit-" + hash.substring(0, HASH_LENGTH));
    }
}
