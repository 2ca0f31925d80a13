package io.limiter.internal.prefetch;

import static io.limiter.testing.Decisions.decide;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.Prefetch;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.step.Request;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.Ledger;
import io.limiter.testing.Seed;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A fleet that prefetches, under random loads and faults: in any time it uses what the limit and the prefetch time allow. */
@Tag("threads")
class PrefetchBoundTest {

    private static final Duration TIME = Duration.ofMillis(100);
    private static final int STEPS = 3_000;
    private static final String KEY = "{k}";

    private final Random random = Seed.random();
    private final TestClock clock = new TestClock();
    private final SteppingEngine backend = new SteppingEngine(clock::micros);
    private final HandSleeper timers = new HandSleeper(clock);
    private final Ledger ledger = new Ledger();
    private Prefetch terms = Prefetch.of(TIME);
    private final List<PrefetchEngine> fleet = new ArrayList<>();

    /** A large fleet with few calls pauses for far longer than the prefetch time. */
    @ParameterizedTest
    @CsvSource({"1, 5000", "3, 5000", "20, 5000", "20, 100", "100, 200", "100, 20"})
    void no_time_has_more_than_the_bound(int size, int callsPerSecond) {
        terms = Prefetch.of(TIME).withCallsPerSecond(callsPerSecond);
        TokenBucket limit = TokenBucket.perSecond(2_000).withCapacity(300);
        for (int i = 0; i < size; i++) {
            fleet.add(instance());
        }
        for (int step = 0; step < STEPS; step++) {
            clock.advance(Duration.ofNanos(1_000L * random.nextInt(random.nextInt(50) == 0 ? 300_000 : 3_000)));
            timers.runDue();
            int instance = random.nextInt(size);
            for (int burst = random.nextInt(random.nextInt(20) == 0 ? 400 : 12); burst > 0; burst--) {
                request(limit, fleet.get(instance));
            }
            fault(instance);
        }

        double seconds = TIME.toMillis() / 1e3;
        assertThat(ledger.excess(limit.maxPermits() + limit.permitsPerSecond() * seconds, limit.permitsPerSecond()))
                .as("of %s instances; %s", size, Seed.hint())
                .isZero();
    }

    /** Of two instances, each has one of two definitions, and changes to the other one. */
    @Test
    void no_change_of_the_limit_exceeds_the_bound_of_the_larger_one() {
        List<TokenBucket> limits = List.of(
                TokenBucket.perSecond(2_000).withCapacity(300),
                TokenBucket.perSecond(1_000).withCapacity(150));
        int[] used = {0, 0};
        fleet.addAll(List.of(instance(), instance()));
        for (int step = 0; step < STEPS; step++) {
            clock.advance(Duration.ofNanos(1_000L * random.nextInt(random.nextInt(50) == 0 ? 300_000 : 3_000)));
            timers.runDue();
            int instance = random.nextInt(2);
            if (random.nextInt(50) == 0) {
                fleet.get(instance).drop(limits.get(used[instance]));
                used[instance] = 1 - used[instance];
            }
            for (int burst = random.nextInt(random.nextInt(20) == 0 ? 400 : 12); burst > 0; burst--) {
                request(limits.get(used[instance]), fleet.get(instance));
            }
        }

        assertThat(ledger.excess(300 + 2_000 * TIME.toMillis() / 1e3, 2_000))
                .as(Seed.hint())
                .isZero();
    }

    /** What other instances hold then, they use or return. */
    @Test
    void a_reset_allows_the_bound_once_more() {
        TokenBucket limit = TokenBucket.perSecond(2_000).withCapacity(300);
        for (int i = 0; i < 20; i++) {
            fleet.add(instance());
        }
        for (int step = 0; step < STEPS; step++) {
            clock.advance(Duration.ofNanos(1_000L * random.nextInt(3_000)));
            timers.runDue();
            for (int burst = random.nextInt(12); burst > 0; burst--) {
                request(limit, fleet.get(random.nextInt(20)));
            }
            if (step == STEPS / 2) {
                fleet.get(0).reset(KEY);
            }
        }

        double allowed = limit.maxPermits() + 2_000 * TIME.toMillis() / 1e3;
        assertThat(ledger.excess(2 * allowed, 2_000)).as(Seed.hint()).isZero();
    }

    /** Without the prefetch time it would not hold: what was taken just before a bucket is full again is used with it. */
    @Test
    void the_prefetch_time_is_part_of_the_bound() {
        TokenBucket limit = TokenBucket.perSecond(2_000).withCapacity(300);
        fleet.add(instance());
        for (int i = 0; i < 100; i++) {
            clock.advance(Duration.ofMillis(1));
            request(limit, fleet.get(0));
        }
        clock.advance(Duration.ofMillis(70));
        for (int i = 0; i < 400; i++) {
            request(limit, fleet.get(0));
        }

        assertThat(ledger.excess(limit.maxPermits(), limit.permitsPerSecond())).isPositive();
        assertThat(ledger.excess(limit.maxPermits() + 200, limit.permitsPerSecond()))
                .isZero();
    }

    private void request(TokenBucket limit, PrefetchEngine instance) {
        long permits = random.nextInt(10) == 0 ? 1 + random.nextInt(40) : 1;
        if (decide(instance, KEY, limit, Request.take(permits, 0)).isGranted()) {
            ledger.granted(clock.micros(), permits);
        }
    }

    /** An instance is killed or closed, and another one takes its place. */
    private void fault(int instance) {
        switch (random.nextInt(100)) {
            case 0 -> fleet.set(instance, instance());
            case 1 -> {
                fleet.get(instance).close();
                fleet.set(instance, instance());
            }
            default -> {
                // No fault.
            }
        }
    }

    private PrefetchEngine instance() {
        Ticker wall = new Ticker() {
            @Override
            public long read() {
                return clock.micros() * 1_000;
            }
        };
        return new PrefetchEngine(backend, timers, new ExpiryClock(clock, wall)).with(terms);
    }
}
