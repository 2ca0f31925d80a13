package io.limiter.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterTotals.KeyBan;
import io.limiter.internal.key.KeyText;
import io.limiter.step.Verdict;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class KnownBansTest {

    private static final long SECOND = 1_000_000;

    private final TestClock clock = new TestClock();
    private final KnownBans bans = new KnownBans(clock);

    private void put(String name, long leftMicros, long retryMicros, boolean local) {
        bans.put(name, name, leftMicros, retryMicros, local);
    }

    private List<String> keys() {
        return bans.inEffect().stream().map(ban -> KeyText.of(ban.keys())).toList();
    }

    @Test
    void of_more_bans_than_the_bound_those_that_end_last_are_known() {
        put("long", 5000 * SECOND, 0, false);
        for (int i = 0; i < KnownBans.MOST; i++) {
            put("short-" + i, (100 + i) * SECOND, 0, false);
        }
        assertThat(keys()).hasSize(KnownBans.MOST).startsWith("long").doesNotContain("short-0");
        put("longer", 6000 * SECOND, 0, false);
        put("shortest", SECOND, 0, false);
        assertThat(keys()).hasSize(KnownBans.MOST).startsWith("longer", "long").doesNotContain("short-1", "shortest");
        assertThat(keys()).endsWith("short-2");
    }

    @Test
    void a_ban_has_ended_without_being_removed() {
        put("ann", 10 * SECOND, 0, false);
        put("bob", 20 * SECOND, 0, false);
        clock.advance(Duration.ofSeconds(10));
        assertThat(keys()).containsExactly("bob");
        put("ann", 30 * SECOND, 0, false);
        assertThat(keys()).containsExactly("ann", "bob");
        bans.reset("ann");
        bans.reset("carl");
        assertThat(keys()).containsExactly("bob");
    }

    @Test
    void a_ban_of_the_local_fallback_does_not_hide_a_longer_one() {
        put("ann", 300 * SECOND, 0, false);
        put("ann", 10 * SECOND, 0, true);
        assertThat(bans.inEffect()).extracting(KeyBan::left).containsExactly(Duration.ofSeconds(300));
        put("ann", 600 * SECOND, 0, true);
        put("ann", 200 * SECOND, 0, false);
        assertThat(bans.inEffect()).extracting(KeyBan::left).containsExactly(Duration.ofSeconds(200));
    }

    @Test
    void the_limit_may_grant_later_than_the_ban_ends() {
        assertThat(bans.retryMicros("ann")).isZero();
        put("ann", 300 * SECOND, 3600 * SECOND, false);
        clock.advance(Duration.ofSeconds(100));
        assertThat(bans.retryMicros("ann")).isEqualTo(3500 * SECOND);
        put("ann", 250 * SECOND, 3500 * SECOND, false);
        assertThat(bans.inEffect()).extracting(KeyBan::left).containsExactly(Duration.ofSeconds(250));
        put("ann", 200 * SECOND, Verdict.NEVER_MICROS, false);
        assertThat(bans.retryMicros("ann")).isEqualTo(200 * SECOND);
        clock.advance(Duration.ofSeconds(201));
        assertThat(bans.retryMicros("ann")).isZero();
    }

    @Test
    void long_keys_are_known_but_not_shown() {
        String key = "x".repeat(129);
        put(key, 10 * SECOND, 20 * SECOND, false);
        bans.put("nested", KeyText.of(List.of("a".repeat(100), "b".repeat(28))), SECOND, 0, false);
        put("x".repeat(128), 10 * SECOND, 0, false);
        assertThat(keys()).containsExactly("x".repeat(128));
        assertThat(bans.retryMicros(key)).isEqualTo(20 * SECOND);
    }

    @Test
    void a_ban_that_was_removed_or_displaced_leaves_room() {
        for (int i = 0; i < KnownBans.MOST; i++) {
            put("long-" + i, (5000 + i) * SECOND, 0, false);
        }
        put("shortest", SECOND, 0, false);
        assertThat(keys()).doesNotContain("shortest");
        bans.remove(Objects.requireNonNull(bans.get("long-1")));
        put("shortest", SECOND, 0, false);
        assertThat(keys()).hasSize(KnownBans.MOST).endsWith("shortest");
        put("short", 2 * SECOND, 0, false);
        assertThat(keys()).hasSize(KnownBans.MOST).endsWith("short");
    }

    @Test
    void only_the_ban_that_was_known_is_removed() {
        put("ann", 10 * SECOND, 0, false);
        KnownBans.Row before = Objects.requireNonNull(bans.get("ann"));
        put("ann", 20 * SECOND, 0, false);
        bans.remove(before);
        assertThat(keys()).containsExactly("ann");
        bans.remove(Objects.requireNonNull(bans.get("ann")));
        assertThat(keys()).isEmpty();
    }
}
