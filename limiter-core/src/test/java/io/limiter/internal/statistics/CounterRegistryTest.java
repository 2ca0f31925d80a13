package io.limiter.internal.statistics;

import static io.limiter.testing.Expected.outcome;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.internal.engine.Outcome;
import io.limiter.spi.EngineObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CounterRegistryTest {

    private static final Limit ONE = FixedWindow.of(1, Duration.ofDays(1));
    private static final Limit TWO = FixedWindow.of(2, Duration.ofDays(1));
    private static final Outcome GRANTED = outcome(true, 1, 0, 0, 0, 1);
    private static final Outcome REJECTED = outcome(false, 1, 0, 1, 1, 1).withSource(Decision.Source.REJECTION_CACHE);

    private final List<LimiterTotals> added = new ArrayList<>();
    private final CounterRegistry registry = new CounterRegistry(
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
        LimiterCounters counters = registry.of("p:", "a", ONE, FailurePolicy.DENY, null);
        counters.decided("a", "key", GRANTED);
        counters.decided("a", null, REJECTED);
        counters.counted("key", false, Decision.Source.REJECTION_CACHE);
        counters.counted(null, true, Decision.Source.PREFETCH);
        counters.failed();
        assertThat(counters.granted(Decision.Source.BACKEND)).isEqualTo(1);
        assertThat(counters.granted(Decision.Source.PREFETCH)).isEqualTo(1);
        assertThat(counters.granted()).isEqualTo(2);
        assertThat(counters.rejected(Decision.Source.REJECTION_CACHE)).isEqualTo(2);
        assertThat(counters.rejected(Decision.Source.BACKEND)).isZero();
        assertThat(counters.rejected()).isEqualTo(2);
        assertThat(counters.errors()).isEqualTo(1);
        assertThat(counters.hottestKeys()).containsExactly(LimiterTotals.HotKey.of(List.of("key"), 2));
    }

    @Test
    void limiters_of_one_name_share_counters_with_the_limit_built_last() {
        LimiterCounters counters = registry.of("p:", "a", ONE, FailurePolicy.DENY, null);
        assertThat(registry.of("p:", "a", TWO, FailurePolicy.DENY, null)).isSameAs(counters);
        assertThat(counters.limit()).contains(TWO);
        assertThat(counters.failurePolicy()).contains(FailurePolicy.DENY);
        assertThat(registry.of("q:", "a", TWO, FailurePolicy.DENY, null)).isNotSameAs(counters);
        assertThat(registry.all()).extracting(LimiterTotals::prefix).containsExactly("p:", "q:");
    }

    @Test
    void names_above_the_maximum_share_counters() {
        registry.of("", "a", ONE, FailurePolicy.DENY, null);
        registry.of("", "b", ONE, FailurePolicy.DENY, null);
        LimiterCounters other = registry.of("", "c", ONE, FailurePolicy.DENY, null);
        assertThat(registry.of("p:", "d", TWO, FailurePolicy.DENY, null)).isSameAs(other);
        assertThat(other.name()).isEqualTo(LimiterTotals.OTHER);
        assertThat(other.limit()).isEmpty();
        assertThat(registry.all()).extracting(LimiterTotals::name).containsExactly("a", "b", "other");
        assertThat(added).isEqualTo(registry.all());
    }
}
