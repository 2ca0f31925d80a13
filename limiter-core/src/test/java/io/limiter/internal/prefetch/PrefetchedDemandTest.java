package io.limiter.internal.prefetch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.LimiterListener;
import io.limiter.PrefetchTerms;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.PendingDecision;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.spi.EngineObserver;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a limiter's calls are as demand of its instance. */
class PrefetchedDemandTest {

    @Test
    void a_rejection_that_a_listener_receives_counts_once() {
        int alone = mostWanted(List.of());
        assertThat(alone).as("of four a millisecond, for 30 ms").isBetween(120, 180);
        assertThat(mostWanted(List.of(new LimiterListener() {}))).isEqualTo(alone);
    }

    /** The most permits that an instance requests in a call, of which four times as many are requested as are refilled. */
    private static int mostWanted(List<LimiterListener> listeners) {
        TestClock clock = new TestClock();
        Watched watched = new Watched(new SteppingEngine(clock::micros, new KnownRejections(0)));
        Prefetch prefetch = new Prefetch(watched, new HandSleeper(clock), new ExpiryClock(clock, clock))
                .with(new PrefetchTerms(Duration.ofMillis(100)));
        EngineRateLimiter limiter = new EngineRateLimiter(
                new KeySpace("", "k"),
                TokenBucket.perSecond(1_000).withCapacity(1_000),
                Failover.none(prefetch),
                clock);
        limiter.countIn(new LimiterCounters(
                "", "k", EngineObserver.NONE, new ListenerNotifier(listeners), Ticker.systemTicker()));
        for (int i = 0; i < 4_000; i++) {
            clock.advance(Duration.ofNanos(250_000));
            boolean unused = limiter.tryAcquire();
            watched.most = i < 2_000 ? 0 : watched.most;
        }
        return watched.most;
    }

    private static final class Watched implements ImmediateEngine {

        private final SteppingEngine backend;
        private int most;

        Watched(SteppingEngine backend) {
            this.backend = backend;
        }

        @Override
        public void decide(PendingDecision<?> pending) {
            Request request = pending.request(0);
            most = request.action() == Request.Action.PREFETCH ? Math.max(most, request.permits()) : most;
            backend.decide(pending);
        }

        @Override
        public CompletableFuture<Void> reset(String key) {
            return backend.reset(key);
        }
    }
}
