package io.limiter.spring.internal.check;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The name of a limit. Limits with equal prefixes and names share their permits.
 *
 * @param prefix starts the keys in Redis
 * @param name of the limiter
 * @param policy the name in HTTP headers
 */
public record LimitName(String prefix, String name, String policy) {

    private static final int HASH_BYTES = 4;

    /** A name from an annotation or configuration. Headers show it. */
    public static LimitName chosen(String prefix, String name) {
        return new LimitName(prefix, name, name);
    }

    /** A name made of a class and a method. Headers show a hash of it, which is the same in all instances. */
    public static LimitName ofMethod(String prefix, String name) {
        return new LimitName(prefix, name, "limit-" + hash(prefix + name));
    }

    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
