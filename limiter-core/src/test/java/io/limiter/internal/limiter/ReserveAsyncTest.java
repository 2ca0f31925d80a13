package io.limiter.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.Reservation;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.time.Sleeper;
import io.limiter.step.Request;
import io.limiter.testing.HandEngine;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.Patience;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Reservations of cancelled futures. */
class ReserveAsyncTest {

    private final HandEngine backend = new HandEngine();
    private final GroupCommit engine = new GroupCommit(
            backend, GroupCommit.Settings.DEFAULT.withYield(Duration.ZERO), Runnable::run, Patience.guard());
    private final EngineRateLimiter limiter = new EngineRateLimiter(
            new KeySpace("p:", "k", ""), TokenBucket.of(1, 10), Failover.none(engine), Sleeper.UNINTERRUPTIBLE);

    @Test
    void a_cancelled_future_returns_its_reservation() {
        CompletableFuture<Reservation> reserved = limiter.async().reserve(3);
        assertThat(reserved.cancel(true)).isTrue();
        backend.call(0).answer();
        assertThat(backend.calls).hasSize(2);
        assertThat(backend.call(1).batch.get(0).requests()).isEqualTo(List.of(Request.refund(3)));
    }

    @Test
    void a_future_cancelled_while_it_is_completed_returns_its_reservation() {
        List<CompletableFuture<Reservation>> reserved = new ArrayList<>();
        Ticker cancelling = new Ticker() {
            @Override
            public long read() {
                reserved.forEach(future -> future.cancel(true));
                return 0;
            }
        };
        HandSleeper sleeper = new HandSleeper(new TestClock()) {
            @Override
            public Ticker ticker() {
                return cancelling;
            }
        };
        EngineRateLimiter limited = new EngineRateLimiter(
                new KeySpace("p:", "k", ""), TokenBucket.of(1, 10), Failover.none(engine), sleeper);
        reserved.add(limited.async().reserve(3));
        backend.call(0).answer();
        assertThat(reserved.get(0)).isCancelled();
        assertThat(backend.calls).hasSize(2);
        assertThat(backend.call(1).batch.get(0).requests()).isEqualTo(List.of(Request.refund(3)));
    }

    @Test
    void a_completed_future_keeps_its_reservation() {
        CompletableFuture<Reservation> reserved = limiter.async().reserve(3);
        backend.call(0).answer();
        assertThat(reserved.join().isGranted()).isTrue();
        assertThat(reserved.cancel(true)).isFalse();
        assertThat(backend.calls).hasSize(1);
    }
}
