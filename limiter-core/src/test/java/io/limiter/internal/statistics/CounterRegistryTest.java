package io.limiter.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.FailurePolicy;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.spi.EngineObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CounterRegistryTest {

    private static final Limit<?> ONE = FixedWindow.of(1, Duration.ofDays(1));
    private static final Limit<?> TWO = FixedWindow.of(2, Duration.ofDays(1));
    private static final Decision GRANTED = new Decision(true, 1, 0, 0, 0, 1);
    private static final Decision REJECTED = new Decision(false, 1, 0, 1, 1, 1, Decision.Source.REJECTION_CACHE);

    private final List<LimiterTotals> added = new ArrayList<>();
    private final CounterRegistry tallies = new CounterRegistry(
            new EngineObserver() {
                @Override
                public void limiterAdded(LimiterTotals totals) {
                    added.add(totals);
                }
            },
            ListenerNotifier.NONE,
            Ticker.systemTicker(),
            2);

    @Test
    void outcomes_are_counted_by_source() {
        LimiterCounters tally = tallies.of("p:", "a", ONE, FailurePolicy.DENY);
        tally.decided("a", "key", GRANTED);
        tally.decided("a", null, REJECTED);
        tally.counted("key", false, Decision.Source.REJECTION_CACHE);
        tally.counted(null, true, Decision.Source.PREFETCH);
        tally.failed();
        assertThat(tally.granted(Decision.Source.BACKEND)).isEqualTo(1);
        assertThat(tally.granted(Decision.Source.PREFETCH)).isEqualTo(1);
        assertThat(tally.granted()).isEqualTo(2);
        assertThat(tally.rejected(Decision.Source.REJECTION_CACHE)).isEqualTo(2);
        assertThat(tally.rejected(Decision.Source.BACKEND)).isZero();
        assertThat(tally.rejected()).isEqualTo(2);
        assertThat(tally.errors()).isEqualTo(1);
        assertThat(tally.hottestKeys()).containsExactly(new LimiterTotals.HotKey("key", 2));
    }

    @Test
    void limiters_of_one_name_share_counters_with_the_limit_built_last() {
        LimiterCounters tally = tallies.of("p:", "a", ONE, FailurePolicy.DENY);
        assertThat(tallies.of("p:", "a", TWO, FailurePolicy.DENY)).isSameAs(tally);
        assertThat(tally.limit()).contains(TWO);
        assertThat(tally.failurePolicy()).contains(FailurePolicy.DENY);
        assertThat(tallies.of("q:", "a", TWO, FailurePolicy.DENY)).isNotSameAs(tally);
        assertThat(tallies.all()).extracting(LimiterTotals::prefix).containsExactly("p:", "q:");
    }

    @Test
    void names_above_the_maximum_share_counters() {
        tallies.of("", "a", ONE, FailurePolicy.DENY);
        tallies.of("", "b", ONE, FailurePolicy.DENY);
        LimiterCounters other = tallies.of("", "c", ONE, FailurePolicy.DENY);
        assertThat(tallies.of("p:", "d", TWO, FailurePolicy.DENY)).isSameAs(other);
        assertThat(other.name()).isEqualTo(LimiterTotals.OTHER);
        assertThat(other.limit()).isEmpty();
        assertThat(tallies.all()).extracting(LimiterTotals::name).containsExactly("a", "b", "other");
        assertThat(added).isEqualTo(tallies.all());
    }
}
