package io.limiter.spring.check;

import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;

/**
 * What a limit is called. Limits of one name share their permits.
 *
 * @param prefix starts the keys in Redis
 * @param name the limiter's
 * @param policy what answers call it
 */
public record LimitName(String prefix, String name, String policy) {

    private static final int HASH_LENGTH = 8;

    /** A name that somebody chose, which answers show. */
    public static LimitName chosen(String prefix, String name) {
        return new LimitName(prefix, name, name);
    }

    /** A name made of a class and a method. Answers show a hash of it, which is the same in all instances. */
    public static LimitName ofMethod(String prefix, String name) {
        String hash = Hashing.sha256()
                .hashString(prefix + name, StandardCharsets.UTF_8)
                .toString();
        return new LimitName(prefix, name, "limit-" + hash.substring(0, HASH_LENGTH));
    }
}
