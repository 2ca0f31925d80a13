package io.limiter.internal.key;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.lettuce.core.cluster.SlotHash;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated("The level of the logger is that of the whole JVM.")
class ShownKeyTest {

    private static final String HASH = "\\[[0-9a-f]{16}]";

    private final Logger keys = (Logger) LoggerFactory.getLogger(ShownKey.LOGGER);
    private final Level ofOtherTests = keys.getLevel();
    private final KeySpace space = new KeySpace("rateLimit:", "sms", ":window");

    @BeforeEach
    void asByDefault() {
        keys.setLevel(Level.INFO);
    }

    @AfterEach
    void asInAllOtherTests() {
        keys.setLevel(ofOtherTests);
    }

    @Test
    void a_callers_key_is_a_hash_and_the_rest_is_as_it_is() {
        assertThat(ShownKey.of(space.of("0171"))).matches("rateLimit:\\{sms:" + HASH + "}:window");
        assertThat(ShownKey.of(space.of("a:b {c}#%"))).matches("rateLimit:\\{sms:" + HASH + "}:window");
        assertThat(ShownKey.of(space.of("k".repeat(200)))).matches("rateLimit:\\{sms:" + HASH + "}:window");
        assertThat(ShownKey.of(space.of(List.of("acme", "ann")))).matches("rateLimit:\\{sms:" + HASH + "}:window");
        assertThat(ShownKey.of(space.of("0171") + KeySpace.LOCK)).endsWith("]}:window:lock");
    }

    @Test
    void the_hash_is_that_of_all_keys_whatever_the_hash_tag() {
        HashTags tags = new HashTags(64, SlotHash::getSlot);
        for (List<String> keys : List.of(
                List.of("acme"), List.of("acme", "ann"), List.of("acme", "bob"), List.of("a#b", "50%", "ü {"))) {
            String hash = "[" + KeyHash.OF_THIS_PROCESS.of(KeyText.of(keys)) + "]";
            for (boolean first : new boolean[] {true, false}) {
                KeySpace plain = new KeySpace("shop", "rateLimit:", "sms", ":log", first, () -> HashTags.NONE);
                assertThat(ShownKey.of(plain.of(keys))).isEqualTo("shop:rateLimit:{sms:" + hash + "}:log");
                KeySpace spread = new KeySpace("", "rateLimit:", "sms", "", first, () -> tags);
                assertThat(ShownKey.of(spread.of(keys)))
                        .startsWith("rateLimit:{#")
                        .endsWith("}{sms:" + hash + "}");
            }
        }
    }

    @Test
    void it_is_the_hash_that_the_endpoint_shows() {
        String key = "a b";
        KeySpace spread = HashTagsTest.spread("", 64);
        assertThat(ShownKey.of(spread.of(key)))
                .isEqualTo(spread.of(key).replace("{a%20b}{sms}", "{sms:[" + KeyHash.OF_THIS_PROCESS.of(key) + "]}"));
        assertThat(ShownKey.of(space.of(key)))
                .isEqualTo("rateLimit:{sms:[" + KeyHash.OF_THIS_PROCESS.of(key) + "]}:window");
    }

    @Test
    void names_and_what_is_no_key_are_shown() {
        assertThat(ShownKey.of(space.own())).isEqualTo(space.own());
        String slashed = new KeySpace("rateLimit:", "api/day", ":window").own();
        assertThat(ShownKey.of(slashed)).isEqualTo(slashed);
        assertThat(ShownKey.of("a{b")).isEqualTo("a{b");
        assertThat(ShownKey.of("")).isEmpty();
    }

    @Test
    void no_message_shows_the_key_until_the_logger_is_at_debug() {
        String key = space.of("0171");
        LimiterBackendException failure = new LimiterBackendException(
                Kind.PERMANENT, "WRONGTYPE", key, "a client named '" + key + "'", "delete the key", null);
        for (LimiterBackendException each : List.of(failure, failure.inThisThread(), failure.maybeDone())) {
            assertThat(each.toString())
                    .doesNotContain("0171")
                    .contains("no decision for key '" + ShownKey.of(key) + "': a client named '" + ShownKey.of(key)
                            + "'");
            assertThat(each.key()).isEqualTo(key);
        }
        keys.setLevel(Level.DEBUG);
        assertThat(failure).hasMessage("no decision for key '" + key + "': a client named '" + key + "'");
    }
}
