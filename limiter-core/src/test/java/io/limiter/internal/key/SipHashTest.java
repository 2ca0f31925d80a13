package io.limiter.internal.key;

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
        HashFunction other = Hashing.sipHash24(secret.getLong(), secret.getLong());
        SipHash hash = new SipHash("secret");
        for (int length = 0; length < 200; length++) {
            StringBuilder key = new StringBuilder();
            for (int i = 0; i < length; i++) {
                key.append((char) random.nextInt(length % 2 == 0 ? 0x80 : 0x10000));
            }
            String text = key.toString();
            assertThat(hash.of(text))
                    .as(text)
                    .isEqualTo(other.hashUnencodedChars(text).asLong());
        }
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
