package io.limiter.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LimiterCountersTest {

    private final LimiterCounters counters = LimiterCounters.unregistered("rateLimit:", "search");

    @Test
    void a_wait_that_cannot_be_observed_goes_on_and_is_counted() {
        counters.waitBegins(limiter -> {
                    throw new IllegalStateException("begin");
                })
                .run();
        counters.waitBegins(limiter -> () -> {
                    throw new IllegalStateException("end");
                })
                .run();
        assertThat(counters.waits()).isEqualTo(2);
    }
}
