package io.limiter.internal.prefetch;

import static io.limiter.testing.Decisions.decide;
import static io.limiter.testing.Expected.outcome;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.Decision;
import io.limiter.LimiterListener;
import io.limiter.Prefetch;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.step.Request;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a limiter's calls are as demand of its instance. */
@Tag("threads")
class PrefetchedDemandTest {

    @Test
    void a_rejection_that_a_listener_receives_counts_once() {
        long alone = mostWanted(List.of());
        assertThat(alone).as("of four a millisecond, for 30 ms").isBetween(120L, 180L);
        assertThat(mostWanted(List.of(new LimiterListener() {}))).isEqualTo(alone);
    }

    @Test
    void a_rejection_during_which_the_call_fails_counts_once() {
        TestClock time = new TestClock();
        Deque<Runnable> onRead = new ArrayDeque<>();
        Ticker clock = new Ticker() {
            @Override
            public long read() {
                Runnable first = onRead.poll();
                if (first != null) {
                    first.run();
                }
                return time.read();
            }
        };
        TokenBucket limit = TokenBucket.perSecond(1_000).withCapacity(1_000);
        SteppingEngine backend = new SteppingEngine(time::micros);
        List<Ask> held = new ArrayList<>();
        PrefetchEngine prefetch = new PrefetchEngine(
                        new HoldingPrefetches(backend, held), new HandSleeper(time), new ExpiryClock(clock, time))
                .with(Prefetch.of(Duration.ofMillis(100)));
        Request one = Request.take(1, 0);
        decide(prefetch, "k", limit, one);
        decide(prefetch, "k", limit, one);
        // Nothing yet: it may call again in 25 ms.
        held.remove(0).answer(outcome(false, 0, 0, 1_000, 25_000, 1_000_000));
        time.advance(Duration.ofMillis(25));
        decide(prefetch, "k", limit, one);
        Ask call = held.remove(0);
        onRead.add(() -> call.fail(BackendFailures.ambiguous("k", "it did not answer", null), Runnable::run));
        assertThat(decide(prefetch, "k", limit, one).source()).isEqualTo(Decision.Source.PREFETCH);
        assertThat(held).isEmpty();
        assertThat(decide(prefetch, "k", limit, one).source()).isEqualTo(Decision.Source.BACKEND);
        // At four times the two requests, and twice the square root of that.
        assertThat(held)
                .singleElement()
                .extracting(pending -> pending.request(0).permits())
                .isEqualTo(14L);
    }

    private record HoldingPrefetches(SteppingEngine backend, List<Ask> held) implements ImmediateEngine {

        @Override
        public void decide(Ask pending) {
            if (pending.request(0).action() == Request.Action.PREFETCH) {
                held.add(pending);
            } else {
                backend.decide(pending);
            }
        }

        @Override
        public CompletableFuture<Void> reset(String key) {
            return backend.reset(key);
        }
    }

    /** The most permits that an instance requests in a call, of which four times as many are requested as are refilled. */
    private static long mostWanted(List<LimiterListener> listeners) {
        TestClock clock = new TestClock();
        Watched watched = new Watched(new SteppingEngine(clock::micros));
        PrefetchEngine prefetch = new PrefetchEngine(watched, new HandSleeper(clock), new ExpiryClock(clock, clock))
                .with(Prefetch.of(Duration.ofMillis(100)));
        EngineRateLimiter limiter = new EngineRateLimiter(
                new KeySpace("", "k", ""),
                TokenBucket.perSecond(1_000).withCapacity(1_000),
                Failover.none(prefetch),
                clock);
        limiter.bound()
                .setCounters(new LimiterCounters(
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
        private long most;

        Watched(SteppingEngine backend) {
            this.backend = backend;
        }

        @Override
        public void decide(Ask pending) {
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
