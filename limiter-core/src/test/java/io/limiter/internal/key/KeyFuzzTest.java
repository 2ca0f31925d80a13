package io.limiter.internal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.testing.Fuzz;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Keys are what callers say. */
class KeyFuzzTest {

    private static final String[] PIECES = {
        "{",
        "}",
        ":",
        "#",
        "%",
        "%7D",
        "%u00",
        " ",
        "\n",
        "\0",
        "a",
        "ann",
        "sms",
        "rateLimit:{sms:ann}",
        ":lock",
        "\ud83d",
        "ä",
        "k".repeat(60),
        "k".repeat(129),
        "*",
        "?",
        "[a-z]",
        "\\"
    };

    /** Nothing that ends the hash tag, a word or a line, and no more than a hash, however long the keys are. */
    private static final Pattern SAFE =
            Pattern.compile("p:\\{([!-z|~&&[^%#:]]|%[0-9A-F]{2}|%u[0-9A-F]{4}){1,40}:(?<key>[!-z|~]{1,128})}:window");

    private final KeySpace space = new KeySpace("", "p:", "a:name%{of}#ours", ":window", false, () -> HashTags.NONE);
    private final KeySpace tagging = new KeySpace("p:", "a:name%{of}#ours", ":window");

    @Test
    void no_key_leaves_its_place_and_each_is_one_of_its_own() {
        Fuzz.run(25, random -> {
            List<String> keys = keys(random);
            if (keys.stream().anyMatch(String::isBlank)) {
                assertThatIllegalArgumentException().isThrownBy(() -> space.of(keys));
                return;
            }
            String redisKey = space.of(keys);
            String shown = redisKey.startsWith("p:{") && SAFE.matcher(redisKey).matches() ? "" : redisKey;
            assertThat(shown).as("not safe").isEmpty();
            if (keys.size() == 1 && keys.get(0).length() < 20) {
                String inner = redisKey.substring(redisKey.indexOf(':', 3) + 1, redisKey.lastIndexOf('}'));
                if (!inner.startsWith("#")) {
                    assertThat(KeySpace.decode(inner)).isEqualTo(keys.get(0));
                }
            }
            assertThat(KeySpace.limiterOf(redisKey)).isEqualTo("p:a:name%{of}#ours");
            assertThat(KeySpace.limiterOf(tagging.of(keys))).isEqualTo("p:a:name%{of}#ours");
        });
    }

    private static List<String> keys(Random random) {
        List<String> keys = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            keys.add(Fuzz.text(random, 4, PIECES));
        }
        return keys;
    }
}
