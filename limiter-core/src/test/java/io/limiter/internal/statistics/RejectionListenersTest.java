package io.limiter.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import com.sun.management.ThreadMXBean;
import io.limiter.LimitExceededEvent;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.cache.RejectionCache;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.resilience.Failover;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.testing.Eventually;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Which listeners are called for rejections, and what that costs the rejected callers. */
class RejectionListenersTest {

    private static final int CALLS = 100_000;
    private static final Duration DAY = Duration.ofDays(1);

    private final Recorded recorded = new Recorded();

    private static final class Recorded implements LimiterListener {

        final List<String> rejected = new CopyOnWriteArrayList<>();
        volatile boolean listens = true;

        @Override
        public boolean listensToRejections() {
            return listens;
        }

        @Override
        public void onLimitExceeded(LimitExceededEvent event) {
            rejected.add(event.limiter());
        }
    }

    @Test
    void limiters_without_listeners_share_permits_and_counters() {
        try (LocalLimiterFactory factory =
                LocalLimiterFactory.builder().maxKeys(100).listener(recorded).build()) {
            for (LimiterFactory quiet : List.of(
                    factory.with(LimiterOptions.NONE.withListeners(false)),
                    factory.with(LimiterOptions.NONE.withListeners(false).withPrefix("countLimit:")),
                    factory.with(LimiterOptions.NONE.withPrefix("countLimit:").withListeners(false)))) {
                Limiter limiter = quiet.build("shared", FixedWindow.of(1, DAY));
                limiter.tryAcquire();
                limiter.on("key").async().decide(1).join();
                assertThat(limiter.decide(1).isGranted()).isFalse();
                LimitSet.of(limiter).decide(1);
            }
            Limiter loud = factory.build("shared", FixedWindow.of(1, DAY));
            assertThat(loud.tryAcquire()).isFalse();
            factory.build("last", FixedWindow.of(1, DAY)).tryAcquire();
            factory.build("last", FixedWindow.of(1, DAY)).tryAcquire();
            Eventually.that(() -> assertThat(recorded.rejected).containsExactly("shared", "last"));
            assertThat(factory.statistics().totals())
                    .filteredOn(totals -> totals.name().equals("shared"))
                    .singleElement()
                    .satisfies(totals -> {
                        assertThat(totals.granted()).isEqualTo(2);
                        assertThat(totals.rejected()).isEqualTo(11);
                    });
        }
    }

    @Test
    void a_cached_rejection_without_a_listener_allocates_nothing() {
        TestClock clock = new TestClock();
        KnownRejections rejections = new KnownRejections(16, clock);
        SteppingEngine backend = new SteppingEngine(clock::micros, rejections);
        EngineRateLimiter limiter = new EngineRateLimiter(
                new KeySpace("", "k", ""),
                TokenBucket.of(1, 1),
                Failover.none(new RejectionCache(rejections, backend)),
                clock);
        limiter.bound()
                .setCounters(new LimiterCounters(
                        "",
                        "k",
                        EngineObserver.NONE,
                        // Observers want no rejections.
                        new ListenerNotifier(List.of(recorded, new EngineObserver() {}, recorded)),
                        Ticker.systemTicker()));
        recorded.listens = false;
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(rejected(limiter)).isEqualTo(2 * CALLS);
        int requests = backend.requests();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        assertThat(rejected(limiter)).isEqualTo(2 * CALLS);
        long allocated = threads.getThreadAllocatedBytes(thread) - before;
        assertThat(allocated).as("bytes in %d calls", 2 * CALLS).isLessThan(CALLS / 10);
        assertThat(backend.requests()).isEqualTo(requests);
        assertThat(recorded.rejected).isEmpty();
        recorded.listens = true;
        assertThat(limiter.tryAcquire()).isFalse();
        Eventually.that(() -> assertThat(recorded.rejected).isNotEmpty());
    }

    private static int rejected(RateLimiter limiter) {
        int rejected = 0;
        for (int i = 0; i < CALLS; i++) {
            if (!limiter.tryAcquire()) {
                rejected++;
            }
            if (!limiter.tryAcquire(2, Duration.ZERO)) {
                rejected++;
            }
        }
        return rejected;
    }
}
