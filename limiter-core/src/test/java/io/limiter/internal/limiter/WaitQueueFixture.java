package io.limiter.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.resilience.Failover;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Callers that wait for permits of one key, by timers that the test fires, on an engine that decides when the test says so. */
abstract class WaitQueueFixture {

    static final Duration SECOND = Duration.ofSeconds(1);
    static final Duration HOUR = Duration.ofHours(1);

    final TestClock clock = new TestClock();
    final HandSleeper sleeper = new HandSleeper(clock);
    final HeldEngine engine = new HeldEngine();

    /** Decides immediately, or when the test says so. */
    final class HeldEngine implements Engine {

        final SteppingEngine stepping = new SteppingEngine(clock::micros);
        final List<Ask> held = new ArrayList<>();
        boolean holds;

        @Nullable
        LimiterBackendException failure;

        @Override
        public void decide(Ask pending) {
            if (failure != null) {
                pending.fail(failure, Runnable::run);
            } else if (holds) {
                held.add(pending);
            } else {
                stepping.decide(pending);
            }
        }

        void answer() {
            List<Ask> answered = List.copyOf(held);
            held.clear();
            answered.forEach(stepping::decide);
        }

        @Override
        public CompletableFuture<Void> reset(String key) {
            return stepping.reset(key);
        }
    }

    final Limiter limiter(Limit limit) {
        return limiter("k", limit, Failover.none(engine));
    }

    final Limiter limiter(String name, Limit limit, Failover failover) {
        return new EngineLimiter<>(new KeySpace("", name, limit.asStep().keySuffix()), limit, failover, sleeper);
    }

    /** A limiter of another JVM on the same permits, whose callers do not know who waits here. */
    final Limiter elsewhere(Limit limit) {
        return limiter(limit);
    }

    /** A limiter whose permits are all taken. */
    final Limiter used(FixedWindow limit) {
        Limiter window = limiter(limit);
        assertThat(window.tryAcquire(limit.limit())).isTrue();
        return window;
    }
}
