package io.limiter.internal.key;

import com.google.common.hash.Hashing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * SipHash-2-4 of the characters of keys (Aumasson and Bernstein, 2012): without the secret, a hash does not tell the
 * key. Allocates nothing, because it is computed for each decision while live limits of keys are stored hashed. Immutable.
 */
public final class SipHash {

    private static final int CHARS = 4;

    private final long k0;
    private final long k1;

    /** @param secret shared by all that compare hashes */
    public SipHash(String secret) {
        ByteBuffer bytes = ByteBuffer.wrap(Hashing.sha256()
                        .hashString(secret, StandardCharsets.UTF_8)
                        .asBytes())
                .order(ByteOrder.LITTLE_ENDIAN);
        this.k0 = bytes.getLong();
        this.k1 = bytes.getLong();
    }

    /** The hash as it is shown and stored: 16 hexadecimal digits. */
    public String text(String key) {
        return HexFormat.of().toHexDigits(of(key));
    }

    public long of(String key) {
        long v0 = k0 ^ 0x736f6d6570736575L;
        long v1 = k1 ^ 0x646f72616e646f6dL;
        long v2 = k0 ^ 0x6c7967656e657261L;
        long v3 = k1 ^ 0x7465646279746573L;
        int length = key.length();
        int whole = length - length % CHARS;
        // The last word has the rest, and the length in bytes.
        for (int i = 0; i <= whole; i += CHARS) {
            long word = i < whole
                    ? key.charAt(i)
                            | (long) key.charAt(i + 1) << 16
                            | (long) key.charAt(i + 2) << 32
                            | (long) key.charAt(i + 3) << 48
                    : rest(key, whole) | (long) (2 * length) << 56;
            v3 ^= word;
            for (int round = 0; round < 2; round++) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= word;
        }
        v2 ^= 0xff;
        for (int round = 0; round < 4; round++) {
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private static long rest(String key, int from) {
        long rest = 0;
        for (int i = key.length() - 1; i >= from; i--) {
            rest = rest << 16 | key.charAt(i);
        }
        return rest;
    }
}
