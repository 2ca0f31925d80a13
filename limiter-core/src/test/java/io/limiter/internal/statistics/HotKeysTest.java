package io.limiter.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterTotals.HotKey;
import io.limiter.LimiterTotals.RejectedKey;
import io.limiter.testing.Seed;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HotKeysTest {

    private final TestClock clock = new TestClock();
    private final HotKeys keys = new HotKeys(clock);

    @Test
    void few_requests_are_counted_exactly() {
        request("a", 3);
        request("b", 5);
        request("c", 1);
        assertThat(keys.hottest())
                .containsExactly(HotKey.of(List.of("b"), 5), HotKey.of(List.of("a"), 3), HotKey.of(List.of("c"), 1));
    }

    @Test
    void counts_of_unused_keys_decay_and_the_next_minute_is_exact_again() {
        request("a", 4);
        clock.advance(Duration.ofSeconds(60));
        request("b", 3);
        assertThat(keys.hottest()).containsExactly(HotKey.of(List.of("b"), 3), HotKey.of(List.of("a"), 2));
        clock.advance(Duration.ofSeconds(120));
        assertThat(keys.hottest()).isEmpty();
        request("b", HotKeys.EXACT);
        assertThat(keys.hottest()).containsExactly(HotKey.of(List.of("b"), HotKeys.EXACT));
        clock.advance(Duration.ofDays(300));
        assertThat(keys.hottest()).isEmpty();
        request("b", HotKeys.EXACT);
        assertThat(keys.hottest()).containsExactly(HotKey.of(List.of("b"), HotKeys.EXACT));
    }

    @Test
    void soon_after_a_minute_with_more_requests_counts_are_exact_again() {
        assertThat(exactAfter(Duration.ofMillis(20), 32)).as("of 200").isGreaterThan(160);
    }

    @Test
    void after_a_busy_minute_counts_are_exact_again_a_little_later() {
        assertThat(exactAfter(Duration.ZERO, 200)).as("of 200").isGreaterThan(160);
    }

    /**
     * How many of 200 count exactly after some more requests in the next minute.
     *
     * @param between two requests of the minute before
     */
    private int exactAfter(Duration between, int requests) {
        int exact = 0;
        for (int i = 0; i < 200; i++) {
            HotKeys busy = new HotKeys(clock);
            for (int j = 0; j < 10 * HotKeys.EXACT; j++) {
                busy.requested("busy");
                clock.advance(between);
            }
            clock.advance(Duration.ofSeconds(60));
            for (int j = 0; j < requests; j++) {
                busy.requested("next");
            }
            for (int j = 0; j < 3; j++) {
                busy.requested("few");
            }
            exact += busy.hottest().contains(HotKey.of(List.of("few"), 3)) ? 1 : 0;
        }
        return exact;
    }

    @Test
    void hot_keys_are_found_among_very_many_and_their_number_is_bounded() {
        Random random = Seed.random();
        for (int i = 0; i < 1_000_000; i++) {
            // A tenth each for two keys, and the rest for a hundred thousand.
            int key = random.nextInt(10);
            keys.requested(key < 2 ? "hot" + key : "cold" + random.nextInt(100_000));
        }
        List<HotKey> hottest = keys.hottest();
        assertThat(hottest).hasSizeBetween(2, HotKeys.REPORTED);
        assertThat(hottest.subList(0, 2))
                .extracting(HotKey::keys)
                .containsExactlyInAnyOrder(List.of("hot0"), List.of("hot1"));
        assertThat(hottest.subList(0, 2))
                .allSatisfy(
                        hot -> assertThat(hot.requests()).as("of about 100,000").isBetween(80_000L, 120_000L));
    }

    @Test
    void keys_that_were_requested_once_are_not_among_the_hottest() {
        for (int i = 0; i < 100_000; i++) {
            keys.requested("once-" + i);
        }
        assertThat(keys.hottest()).allSatisfy(key -> assertThat(key.requests()).isOne());
        for (int i = 0; i < 100_000; i++) {
            keys.requested(i % 4 == 0 ? "hot" : "more-" + i);
        }
        assertThat(keys.hottest().get(0).keys()).containsExactly("hot");
        assertThat(keys.hottest().get(0).requests()).as("of 25,000").isBetween(15_000L, 30_000L);
        assertThat(keys.hottest())
                .extracting(HotKey::requests)
                .filteredOn(requests -> requests > 1)
                .hasSize(1);
        clock.advance(Duration.ofSeconds(60));
        assertThat(keys.hottest()).extracting(HotKey::keys).containsExactly(List.of("hot"));
    }

    @Test
    void a_long_key_is_truncated() {
        keys.requested("x".repeat(1000));
        assertThat(keys.hottest()).containsExactly(HotKey.of(List.of("x".repeat(128)), 1));
    }

    @Test
    void the_last_times_of_a_key_are_kept() {
        for (int i = 0; i < 7; i++) {
            request("a", 1);
            clock.advance(Duration.ofSeconds(1));
        }
        request("b", 1);
        clock.advance(Duration.ofMillis(500));
        assertThat(keys.rejected())
                .containsExactly(
                        RejectedKey.of(
                                List.of("a"),
                                7,
                                Stream.of(1500, 2500, 3500, 4500, 5500)
                                        .map(Duration::ofMillis)
                                        .toList()),
                        RejectedKey.of(List.of("b"), 1, List.of(Duration.ofMillis(500))));
    }

    @Test
    void a_key_that_takes_the_place_of_another_has_its_own_times() {
        for (int i = 0; i < HotKeys.COUNTERS; i++) {
            request("key-" + i, 2);
        }
        clock.advance(Duration.ofSeconds(1));
        request("new", 1);
        assertThat(keys.rejected())
                .allSatisfy(key -> assertThat(key.rejections()).isEqualTo(2));
        request("new", 2);
        assertThat(keys.rejected().get(0))
                .isEqualTo(RejectedKey.of(List.of("new"), 3, List.of(Duration.ZERO, Duration.ZERO, Duration.ZERO)));
    }

    private void request(String key, int times) {
        for (int i = 0; i < times; i++) {
            keys.requested(key);
        }
    }
}
