package io.limiter.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.SetDecision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.local.LocalEngine;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.time.Sleeper;
import io.limiter.testing.HandEngine;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.Patience;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Cancelled futures of a set. */
class EngineLimitSetTest {

    private final HandSleeper sleeper = new HandSleeper(new TestClock());
    private final Failover engine = Failover.none(new LocalEngine());
    private final TokenBucket slow = TokenBucket.of(0.001, 1000);
    private final RateLimiter bucket = new EngineRateLimiter(new KeySpace("", "b", ""), slow, engine, sleeper);
    private final Limiter window =
            new EngineLimiter<>(new KeySpace("", "w", ""), FixedWindow.of(5, Duration.ofDays(1)), engine, sleeper);
    private final LimitSet set = LimitSet.of(window, bucket);

    @Test
    void a_future_waits_until_the_permits_come_due() {
        assertThat(set.tryAcquire()).isTrue();
        CompletableFuture<SetDecision> waiting = set.async().decide(1, Duration.ofHours(1));
        assertThat(waiting).isNotDone();
        sleeper.run();
        assertThat(waiting).isDone();
        assertThat(waiting.join().isGranted()).isTrue();
        assertThat(waiting.cancel(true)).isFalse();
        assertThat(window.peek().remaining()).isEqualTo(3);
    }

    @Test
    void a_cancelled_future_returns_the_permits_of_all_limits() {
        assertThat(set.tryAcquire()).isTrue();
        CompletableFuture<SetDecision> waiting = set.async().decide(1, Duration.ofHours(1));
        assertThat(window.peek().remaining()).isEqualTo(3);
        assertThat(waiting.cancel(true)).isTrue();
        assertThat(waiting.cancel(true)).isTrue();
        assertThat(window.peek().remaining()).isEqualTo(4);
        // Later reservations keep their times.
        assertThat(bucket.tryAcquire(Duration.ofSeconds(1))).isFalse();
        assertThat(bucket.reserve(1, Duration.ofHours(1)).timeToWait()).isLessThanOrEqualTo(Duration.ofSeconds(1000));
    }

    @Test
    void a_set_of_one_that_is_cancelled_before_it_is_sent_is_withdrawn() {
        HandEngine backend = new HandEngine();
        try (Guard guard = Patience.guard()) {
            LimitSet alone = LimitSet.of(limiter(
                    "w",
                    new GroupCommit(
                            backend, GroupCommit.Settings.DEFAULT.withYield(Duration.ZERO), Runnable::run, guard)));
            CompletableFuture<SetDecision> sent = alone.async().decide(1);
            CompletableFuture<SetDecision> queued = alone.async().decide(2);
            assertThat(queued.cancel(true)).isTrue();
            backend.call(0).answer();
            assertThat(sent).isCompleted();
            assertThat(queued).isCancelled();
            assertThat(backend.sent()).containsExactly(List.of("{w}:1"));
        }
    }

    @Test
    void a_set_that_is_cancelled_before_it_is_sent_is_withdrawn() {
        HandEngine backend = new HandEngine();
        backend.blocks = true;
        backend.onStart = HandEngine.Call::answer;
        List<Runnable> threads = new ArrayList<>();
        try (Guard guard = Patience.guard()) {
            Engine engine = new GroupCommit(backend, GroupCommit.Settings.DEFAULT.withOwnCalls(), threads::add, guard);
            CompletableFuture<SetDecision> queued = LimitSet.of(limiter("a", engine), limiter("b", engine))
                    .async()
                    .decide(1);
            assertThat(queued.cancel(true)).isTrue();
            List.copyOf(threads).forEach(Runnable::run);
            assertThat(queued).isCancelled();
            assertThat(backend.sent()).isEmpty();
        }
    }

    private static Limiter limiter(String name, Engine on) {
        return new EngineLimiter<>(
                new KeySpace("", name, ""),
                FixedWindow.of(5, Duration.ofDays(1)),
                Failover.none(on),
                Sleeper.UNINTERRUPTIBLE);
    }
}
