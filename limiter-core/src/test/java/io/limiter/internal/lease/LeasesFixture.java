package io.limiter.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineConcurrencyLimiter;
import io.limiter.internal.named.ChangeableLimit;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.testing.FlakyEngine;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** Leases of 30 s, with a clock and timers that the test moves. */
abstract class LeasesFixture {

    static final Duration HOUR = Duration.ofHours(1);
    static final ConcurrencyLimit ONE = ConcurrencyLimit.of(1);

    final TestClock clock = new TestClock();
    final FlakyEngine backend = new FlakyEngine(new SteppingEngine(clock::micros));
    final HandSleeper sleeper = new HandSleeper(clock);
    final Leases leases = new Leases(backend, sleeper, new ExpiryClock(clock, clock), Leases.LARGE_BATCH);
    final EngineConcurrencyLimiter limiter = limiter(ONE);

    @AfterEach
    void no_caller_still_waits() {
        assertThat(leases.queues()).isZero();
        leases.close();
    }

    final EngineConcurrencyLimiter limiter(ConcurrencyLimit limit) {
        return limiter(limit, Failover.none(backend), leases);
    }

    /**
     * @param localLeases leases of the local fallback
     */
    final EngineConcurrencyLimiter limiter(ConcurrencyLimit limit, Failover failover, Leases localLeases) {
        return new EngineConcurrencyLimiter(
                new KeySpace("", "k", limit.keySuffix()), limit, failover, leases, localLeases);
    }

    /** As a live limit does it. */
    @SuppressWarnings("unchecked")
    static void change(EngineConcurrencyLimiter limiter, ConcurrencyLimit limit) {
        var bound = (ChangeableLimit<ConcurrencyLimit>) limiter.bound();
        bound.change(new EffectiveLimit<>(limit, bound.failover()));
    }
}
