package io.limiter.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import java.util.List;
import org.junit.jupiter.api.Test;

class LimiterCountersTest {

    @Test
    void a_wait_that_cannot_be_observed_goes_on_and_is_counted() {
        LimiterCounters counters = counters(
                () -> limiter -> {
                    throw new IllegalStateException("begin");
                },
                () -> limiter -> () -> {
                    throw new IllegalStateException("end");
                },
                () -> limiter -> null,
                () -> null);
        for (int i = 1; i <= 2; i++) {
            counters.waitBegins(counters.mayWait()).run();
            assertThat(counters.waits()).isEqualTo(i);
        }
    }

    private interface Waits extends EngineObserver {
        @Override
        MayWait mayWait();
    }

    private static LimiterCounters counters(Waits... observers) {
        return new LimiterCounters(
                "", "search", Observers.of(List.of(observers)), ListenerNotifier.NONE, Ticker.systemTicker());
    }
}
