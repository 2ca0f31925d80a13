package io.limiter.internal.key;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import io.limiter.testing.Seed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SipHashTest {

    @Test
    void is_that_of_another_implementation() {
        Random random = Seed.random();
        ByteBuffer secret = ByteBuffer.wrap(Hashing.sha256()
                        .hashString("secret", StandardCharsets.UTF_8)
                        .asBytes())
                .order(ByteOrder.LITTLE_ENDIAN);
        long k0 = secret.getLong();
        long k1 = secret.getLong();
        HashFunction bytes = Hashing.sipHash24(k0, k1);
        HashFunction chars = Hashing.sipHash24(k0 ^ 1, k1);
        SipHash hash = new SipHash("secret");
        for (int length = 0; length < 200; length++) {
            StringBuilder key = new StringBuilder();
            for (int i = 0; i < length; i++) {
                key.append((char) random.nextInt(length % 2 == 0 ? 0x100 : 0x10000));
            }
            String text = key.toString();
            boolean wide = text.chars().anyMatch(c -> c > 0xFF);
            assertThat(hash.of(text))
                    .as(text)
                    .isEqualTo((wide ? chars.hashUnencodedChars(text) : bytes.hashString(text, ISO_8859_1)).asLong());
        }
    }

    @Test
    void of_two_bytes_is_not_that_of_a_key_with_the_same_bytes() {
        SipHash hash = new SipHash("secret");
        assertThat(hash.of("\u4e2d")).isNotEqualTo(hash.of("-N"));
    }

    @Test
    void is_shown_as_16_digits_that_depend_on_the_secret() {
        assertThat(new SipHash("secret").text("ann"))
                .matches("[0-9a-f]{16}")
                .isEqualTo(new SipHash("secret").text("ann"))
                .isNotEqualTo(new SipHash("other").text("ann"))
                .isNotEqualTo(new SipHash("secret").text("bob"));
    }
}
