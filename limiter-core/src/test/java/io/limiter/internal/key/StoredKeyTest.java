package io.limiter.internal.key;

import static io.limiter.LimiterOptions.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.ConcurrencyLimiter;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.limiter.KeyView;
import io.limiter.local.LocalLimiterFactory;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Stored keys, letter by letter. They are part of the interface: other tools read them, and a key that changes forgets what it
 * stored. A factory of one process has the same keys.
 */
class StoredKeyTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final TokenBucket BUCKET = TokenBucket.perSecond(1);
    private static final FixedWindow WINDOW = FixedWindow.of(1, DAY);
    private static final String METHOD = "com.acme.Shop.search(java.lang.String)";

    /** As a view of the keys has it. */
    private static String stored(LimiterFactory limiters, String name, AnyLimit limit, List<String> keys) {
        if (limit instanceof ConcurrencyLimit held) {
            ConcurrencyLimiter view = limiters.build(name, held);
            for (String key : keys) {
                view = view.on(key);
            }
            return ((KeyView<?>) view).storedKey();
        }
        Limiter view = limiters.build(name, (Limit) limit);
        for (String key : keys) {
            view = view.on(key);
        }
        return ((KeyView<?>) view).storedKey();
    }

    static List<Arguments> paths() {
        return List.of(
                Arguments.of(BUCKET, "sms", List.of(), "rateLimit:{sms}"),
                Arguments.of(BUCKET, "sms", List.of("0171"), "rateLimit:{0171}{sms}"),
                Arguments.of(BUCKET, "orders", List.of("acme", "ann"), "rateLimit:{acme}{orders:ann}"),
                Arguments.of(BUCKET, "orders", List.of("acme", "ann", "phone"), "rateLimit:{acme}{orders:ann#phone}"),
                Arguments.of(WINDOW, METHOD, List.of("user:ann"), "countLimit:{user:ann}{" + METHOD + "}:window"),
                Arguments.of(BUCKET, "a:b", List.of("c"), "rateLimit:{c}{a%3Ab}"),
                Arguments.of(BUCKET, "sms", List.of("a {b}#c%"), "rateLimit:{a%20%7Bb%7D%23c%25}{sms}"),
                Arguments.of(BUCKET, "sms", List.of("Zoë"), "rateLimit:{Zo%u00EB}{sms}"),
                Arguments.of(WINDOW, "api/day", List.of(), "countLimit:{api}{api/day:}:window"));
    }

    @ParameterizedTest
    @MethodSource("paths")
    void has_the_first_key_in_front(Limit limit, String name, List<String> keys, String expected) {
        assertThat(stored(LocalLimiterFactory.builder().build(), name, limit, keys))
                .isEqualTo(expected);
    }

    static List<Arguments> everyKind() {
        return List.of(
                Arguments.of(BUCKET, "rateLimit:{k}{n}"),
                Arguments.of(TokenBucket.guava(1), "rateLimit:{k}{n}"),
                Arguments.of(LeakyBucket.meter(1, 2), "rateLimit:{k}{n}"),
                Arguments.of(LeakyBucket.queue(1, 2), "rateLimit:{k}{n}"),
                Arguments.of(WINDOW, "countLimit:{k}{n}:window"),
                Arguments.of(SlidingLog.of(1, DAY), "countLimit:{k}{n}:log"),
                Arguments.of(SlidingCounter.of(1, DAY), "countLimit:{k}{n}:counter"),
                Arguments.of(ConcurrencyLimit.of(1), "concurrentLimit:{k}{n}:holders"));
    }

    @ParameterizedTest
    @MethodSource("everyKind")
    void the_kind_decides_prefix_and_suffix(AnyLimit limit, String expected) {
        LimiterFactory limiters = LocalLimiterFactory.builder().build();
        assertThat(stored(limiters, "n", limit, List.of("k"))).isEqualTo(expected);
        assertThat(stored(limiters.with(NONE.withPrefix("app:")), "n", limit, List.of("k")))
                .isEqualTo(expected.replaceFirst("^[a-zA-Z]+:", "app:"));
    }

    @Test
    void a_namespace_comes_first() {
        LimiterFactory limiters = LocalLimiterFactory.builder().build();
        assertThat(stored(limiters.with(NONE.withNamespace("shop")), "n", BUCKET, List.of("k")))
                .isEqualTo("shop:rateLimit:{k}{n}");
        assertThat(stored(limiters.with(NONE.withNamespace("a:b {1}")), "n", WINDOW, List.of()))
                .isEqualTo("a%3Ab%20%7B1%7D:countLimit:{n}:window");
        assertThat(stored(limiters.with(NONE.withNamespace("shop").withPrefix("")), "n", BUCKET, List.of()))
                .isEqualTo("shop:{n}");
    }

    @Test
    void the_whole_path_is_the_hash_tag_on_request() {
        LimiterFactory limiters = LocalLimiterFactory.builder().build().with(NONE.withHashTag(HashTag.WHOLE_KEY));
        assertThat(stored(limiters, "n", WINDOW, List.of("acme", "a#b"))).isEqualTo("countLimit:{n:acme#a%23b}:window");
        assertThat(stored(limiters, "n", BUCKET, List.of("acme"))).isEqualTo("rateLimit:{n:acme}");
        assertThat(stored(limiters, "n", BUCKET, List.of())).isEqualTo("rateLimit:{n}");
    }

    /** The hash of 129 times {@code k} is as {@code sha256sum} says it. */
    @Test
    void what_is_longer_than_128_bytes_is_a_hash() {
        LimiterFactory limiters = LocalLimiterFactory.builder().build();
        String longest = "k".repeat(128);
        String hash = "#9094034fb2d0ce2e407c9b260f2806ab2efb352e200722fd6296d9cf1cf7e6f5";
        assertThat(stored(limiters, "n", BUCKET, List.of(longest))).isEqualTo("rateLimit:{" + longest + "}{n}");
        assertThat(stored(limiters, "n", BUCKET, List.of(longest + "k"))).isEqualTo("rateLimit:{" + hash + "}{n}");
        assertThat(stored(limiters, "n", BUCKET, List.of("acme", longest + "k")))
                .isEqualTo("rateLimit:{acme}{n:" + hash + "}");
    }
}
