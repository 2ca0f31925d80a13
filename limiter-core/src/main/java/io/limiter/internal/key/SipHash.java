package io.limiter.internal.key;

import com.google.common.hash.Hashing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * SipHash-2-4 of the characters of keys (Aumasson and Bernstein, 2012): without the secret, a hash does not tell the
 * key. Allocates nothing, because it is computed for each decision while live limits of keys are stored hashed, unless a character needs two bytes. Immutable.
 */
public final class SipHash {

    /** In a word, of one byte each. */
    private static final int CHARS = 8;

    private static final long NOT_BYTES = 0xFF00FF00FF00FF00L;

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

    private SipHash(long k0, long k1) {
        this.k0 = k0;
        this.k1 = k1;
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
        int whole = key.length() & -CHARS;
        long seen = 0;
        for (int i = 0; ; i += CHARS) {
            boolean isLast = i == whole;
            long word;
            if (isLast) {
                // Has the rest, and the length.
                word = (long) key.length() << 56;
                for (int j = i; j < key.length(); j++) {
                    char c = key.charAt(j);
                    seen |= c;
                    word |= (c & 0xFFL) << 8 * (j - i);
                }
                if ((seen & NOT_BYTES) != 0) {
                    return ofWide(key);
                }
            } else {
                long low = fourChars(key, i);
                long high = fourChars(key, i + CHARS / 2);
                seen |= low | high;
                word = bytes(low) | bytes(high) << 32;
            }
            v3 ^= word;
            int rounds = isLast ? 6 : 2;
            for (int round = 0; round < rounds; round++) {
                if (round == 2) {
                    v0 ^= word;
                    v2 ^= 0xff;
                }
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32) + v3;
                v2 += v1;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            if (isLast) {
                return v0 ^ v1 ^ v2 ^ v3;
            }
            v0 ^= word;
        }
    }

    private static long fourChars(String key, int i) {
        return key.charAt(i)
                | (long) key.charAt(i + 1) << 16
                | (long) key.charAt(i + 2) << 32
                | (long) key.charAt(i + 3) << 48;
    }

    /** The low bytes of four characters. */
    private static long bytes(long chars) {
        long pairs = (chars | chars >>> 8) & 0x0000FFFF0000FFFFL;
        return (pairs | pairs >>> 16) & 0xFFFFFFFFL;
    }

    /** Of two bytes for each character, and under another secret: otherwise the bytes could be those of another key. */
    private long ofWide(String key) {
        StringBuilder bytes = new StringBuilder(2 * key.length());
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            bytes.append((char) (c & 0xFF)).append((char) (c >> 8));
        }
        return new SipHash(k0 ^ 1, k1).of(bytes.toString());
    }
}
