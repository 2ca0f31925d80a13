package io.limiter.internal.key;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Hides keys: shows the first 16 hex digits of an HMAC with a secret of this process. Without one, hashing all addresses
 * would reveal them. Safe for use by many threads.
 */
public final class KeyHash {

    /** What logs and the endpoint show, so a hash in one can be found in the other. */
    public static final KeyHash OF_THIS_PROCESS = new KeyHash();

    private static final String ALGORITHM = "HmacSHA256";
    private static final int SECRET_BYTES = 32;
    private static final int SHOWN_BYTES = 8;

    private final SecretKeySpec secret;

    public KeyHash() {
        this(randomSecret());
    }

    private KeyHash(byte[] secret) {
        this.secret = new SecretKeySpec(secret, ALGORITHM);
    }

    private static byte[] randomSecret() {
        byte[] bytes = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    public String of(String key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return HexFormat.of().formatHex(mac.doFinal(key.getBytes(StandardCharsets.UTF_8)), 0, SHOWN_BYTES);
        } catch (GeneralSecurityException e) {
            // Every JVM has it.
            throw new IllegalStateException(e);
        }
    }
}
