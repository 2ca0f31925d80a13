package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.factory.EngineLimiterFactory;
import io.limiter.internal.local.LocalEngine;
import io.limiter.internal.local.LocalLimiters;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.time.ServerTime;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;

/** What a route of 10/s and a capacity of 20 grants by a clock that a test moves. */
class GatewayClockTest {

    private final TestClock clock = new TestClock();
    private final GatewayRateLimiter limiter = new GatewayRateLimiter(
            new LocalLimiters(
                            EngineLimiterFactory.DEFAULT_MAX_CACHED,
                            new LocalEngine(1000, new ServerTime(clock, clock.micros())),
                            clock,
                            EngineObserver.NONE,
                            new ListenerNotifier(List.of()))
                    .view(),
            null);

    @BeforeEach
    void configure() {
        limiter.getConfig()
                .put("route", new RedisRateLimiter.Config().setReplenishRate(10).setBurstCapacity(20));
    }

    private long granted(int requests) {
        return IntStream.range(0, requests)
                .filter(i -> Objects.requireNonNull(
                                limiter.isAllowed("route", "ann").block())
                        .isAllowed())
                .count();
    }

    @Test
    void the_boundary_of_a_second_grants_nothing() {
        // 123.456 ms into a second.
        clock.advance(Duration.ofMillis(870));
        assertThat(granted(60)).isEqualTo(20);
        clock.advance(Duration.ofMillis(10));
        assertThat(granted(60)).isZero();
        clock.advance(Duration.ofMillis(90));
        assertThat(granted(60)).isEqualTo(1);
    }

    @Test
    void any_second_grants_at_most_the_capacity_and_the_rate() {
        int granted = 0;
        for (int i = 0; i < 100; i++) {
            granted += (int) granted(2);
            clock.advance(Duration.ofMillis(10));
        }
        assertThat(granted).isEqualTo(29);
    }

    @Test
    void a_clock_that_steps_back_grants_nothing() {
        assertThat(granted(60)).isEqualTo(20);
        clock.advance(Duration.ofSeconds(-5));
        assertThat(granted(60)).isZero();
        clock.advance(Duration.ofSeconds(5));
        assertThat(granted(60)).isZero();
        clock.advance(Duration.ofSeconds(1));
        assertThat(granted(60)).isEqualTo(10);
    }
}
