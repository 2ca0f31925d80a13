package io.limiter.internal.prefetch;

import static io.limiter.testing.Decisions.decide;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendException;
import io.limiter.Prefetch;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.step.Request;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Prefetch, on a backend that counts its requests. */
abstract class PrefetchFixture {

    static final Duration TIME = Duration.ofMillis(100);
    static final Duration USABLE = TIME.multipliedBy(5).dividedBy(4);
    static final Duration MILLI = Duration.ofMillis(1);
    static final TokenBucket LIMIT = TokenBucket.of(1000, 10);
    static final Request ONE = Request.take(1, 0);
    static final String KEY = "{k}";

    final TestClock clock = new TestClock();
    final TestClock wall = new TestClock();
    final HandSleeper timers = new HandSleeper(clock);
    final SteppingEngine backend = new SteppingEngine(clock::micros);
    final Behind behind = new Behind();
    final PrefetchEngine without = new PrefetchEngine(behind, timers, new ExpiryClock(clock, wall));
    final PrefetchEngine prefetch = without.with(Prefetch.of(TIME));

    static boolean prefetched(PrefetchEngine by) {
        return by.tryAcquire(KEY, LIMIT, 1, 0) == ImmediateEngine.Known.PREFETCHED;
    }

    final void pass(Duration time) {
        clock.advance(time);
        wall.advance(time);
    }

    final void takeEachMilli(long permits) {
        for (int i = 0; i < permits; i++) {
            pass(MILLI);
            Outcome decision = decide(prefetch, KEY, LIMIT, ONE);
            assertThat(decision.isGranted()).as("permit %s", i).isTrue();
        }
    }

    /** Nothing is returned to a full bucket. */
    final void takeFromHalf() {
        backend.takeElsewhere(KEY, LIMIT, Request.take(5_000, 0));
        takeEachMilli(200);
    }

    /** More is requested than there is, for a while. */
    final void exhaust() {
        backend.takeElsewhere(KEY, LIMIT, Request.take(9_900, 0));
        for (int i = 0; i < 200; i++) {
            pass(MILLI);
            for (int j = 0; j < 4; j++) {
                decide(prefetch, KEY, LIMIT, ONE);
            }
        }
        while (decide(prefetch, KEY, LIMIT, ONE).isGranted()) {
            // Uses up the rest.
        }
    }

    /** A limiter that prefetches, whose own permits are those of the key. */
    final EngineRateLimiter limiter() {
        return new EngineRateLimiter(new KeySpace("", "k", ""), LIMIT, Failover.none(prefetch), clock);
    }

    /** The permits that remain in the backend. */
    final long remaining() {
        return backend.takeElsewhere(KEY, LIMIT, Request.peek(1, 0)).remaining();
    }

    /** The backend, which can keep prefetches waiting, or fail them. */
    final class Behind implements ImmediateEngine {

        final List<Ask> held = new ArrayList<>();
        boolean holds;
        LimiterBackendException failure;
        Request last;
        int returned;

        @Override
        public void decide(Ask pending) {
            last = pending.request(0);
            returned += last.action() == Request.Action.REFUND ? last.permits() : 0;
            boolean prefetches = last.action() == Request.Action.PREFETCH;
            if (prefetches && holds) {
                held.add(pending);
            } else if (prefetches && failure != null) {
                pending.fail(failure, Runnable::run);
            } else {
                backend.decide(pending);
            }
        }

        @Override
        public CompletableFuture<Void> reset(String key) {
            return backend.reset(key);
        }
    }
}
