package io.limiter.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterTotals.KeyBan;
import io.limiter.algorithm.Decision;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class KnownBansTest {

    private static final long SECOND = 1_000_000;

    private final TestClock clock = new TestClock();
    private final KnownBans bans = new KnownBans(clock);

    private static KnownBans.Key key(String name) {
        return new KnownBans.Key(name, List.of(name), null);
    }

    private List<String> keys() {
        return bans.inEffect().stream().map(KeyBan::key).toList();
    }

    @Test
    void of_more_than_the_bound_those_that_end_last_are_known() {
        bans.put(key("long"), 5000 * SECOND, 0, false);
        for (int i = 0; i < KnownBans.MOST; i++) {
            bans.put(key("short-" + i), (100 + i) * SECOND, 0, false);
        }
        assertThat(keys()).hasSize(KnownBans.MOST).startsWith("long").doesNotContain("short-0");
        bans.put(key("longer"), 6000 * SECOND, 0, false);
        bans.put(key("shortest"), SECOND, 0, false);
        assertThat(keys()).hasSize(KnownBans.MOST).startsWith("longer", "long").doesNotContain("short-1", "shortest");
        assertThat(keys()).endsWith("short-2");
    }

    @Test
    void a_ban_has_ended_without_being_removed() {
        bans.put(key("ann"), 10 * SECOND, 0, false);
        bans.put(key("bob"), 20 * SECOND, 0, false);
        clock.advance(Duration.ofSeconds(10));
        assertThat(keys()).containsExactly("bob");
        bans.put(key("ann"), 30 * SECOND, 0, false);
        assertThat(keys()).containsExactly("ann", "bob");
        bans.remove(key("ann"));
        bans.remove(key("carl"));
        assertThat(keys()).containsExactly("bob");
    }

    @Test
    void one_of_the_local_fallback_hides_no_longer_one() {
        bans.put(key("ann"), 300 * SECOND, 0, false);
        bans.put(key("ann"), 10 * SECOND, 0, true);
        assertThat(bans.inEffect()).extracting(KeyBan::left).containsExactly(Duration.ofSeconds(300));
        bans.put(key("ann"), 600 * SECOND, 0, true);
        bans.put(key("ann"), 200 * SECOND, 0, false);
        assertThat(bans.inEffect()).extracting(KeyBan::left).containsExactly(Duration.ofSeconds(200));
    }

    @Test
    void the_limit_may_grant_later_than_the_ban_ends() {
        assertThat(bans.retryMicros(key("ann"))).isZero();
        bans.put(key("ann"), 300 * SECOND, 3600 * SECOND, false);
        clock.advance(Duration.ofSeconds(100));
        assertThat(bans.retryMicros(key("ann"))).isEqualTo(3500 * SECOND);
        bans.put(key("ann"), 200 * SECOND, Decision.NEVER_MICROS, false);
        assertThat(bans.retryMicros(key("ann"))).isEqualTo(200 * SECOND);
        clock.advance(Duration.ofSeconds(201));
        assertThat(bans.retryMicros(key("ann"))).isZero();
    }

    @Test
    void long_keys_are_left_out() {
        bans.put(key("x".repeat(129)), 10 * SECOND, 0, false);
        bans.put(new KnownBans.Key("b", List.of("a".repeat(100), "b".repeat(29)), "a".repeat(100)), SECOND, 0, false);
        bans.put(key("x".repeat(128)), 10 * SECOND, 0, false);
        assertThat(keys()).containsExactly("x".repeat(128));
    }
}
