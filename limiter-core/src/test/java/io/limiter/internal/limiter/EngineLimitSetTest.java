package io.limiter.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.SetDecision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.time.Sleeper;
import io.limiter.local.LocalEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A wait for several limits that is given up. */
class EngineLimitSetTest {

    private final List<Runnable> timers = new ArrayList<>();
    private final Failover engine = Failover.none(new LocalEngine());
    private final TokenBucket slow = TokenBucket.of(0.001, 1000);
    private final RateLimiter bucket = new EngineRateLimiter(new KeySpace("", "b"), slow, engine, new HandSleeper());
    private final Limiter window =
            new EngineLimiter<>(new KeySpace("", "w"), FixedWindow.of(5, Duration.ofDays(1)), engine);
    private final LimitSet set = LimitSet.of(window, bucket);

    @Test
    void it_waits_without_a_thread_until_the_permits_are_there() {
        assertThat(set.tryAcquire()).isTrue();
        CompletableFuture<SetDecision> waiting = set.async().decide(1, Duration.ofHours(1));
        assertThat(waiting).isNotDone();
        timers.forEach(Runnable::run);
        assertThat(waiting).isDone();
        assertThat(waiting.join().granted()).isTrue();
        assertThat(waiting.cancel(true)).isFalse();
        assertThat(window.peek().remaining()).isEqualTo(3);
    }

    @Test
    void cancelled_it_gives_back_to_all() {
        assertThat(set.tryAcquire()).isTrue();
        CompletableFuture<SetDecision> waiting = set.async().decide(1, Duration.ofHours(1));
        assertThat(window.peek().remaining()).isEqualTo(3);
        assertThat(waiting.cancel(true)).isTrue();
        assertThat(waiting.cancel(true)).isTrue();
        assertThat(window.peek().remaining()).isEqualTo(4);
        // What was booked stays booked, and what came back is stored.
        assertThat(bucket.tryAcquire(Duration.ofSeconds(1))).isFalse();
        assertThat(bucket.reserve().timeToWait()).isLessThanOrEqualTo(Duration.ofSeconds(1000));
    }

    private final class HandSleeper implements Sleeper {

        @Override
        public void sleep(long micros) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Runnable later(long micros, Runnable action) {
            timers.add(action);
            return () -> {};
        }
    }
}
