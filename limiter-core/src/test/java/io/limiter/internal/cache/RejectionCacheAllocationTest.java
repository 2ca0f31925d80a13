package io.limiter.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.resilience.Failover;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Cached rejections allocate nothing. */
class RejectionCacheAllocationTest {

    private static final int CALLS = 100_000;

    private final TestClock clock = new TestClock();
    private final KnownRejections denials = new KnownRejections(16, clock);
    private final SteppingEngine backend = new SteppingEngine(clock::micros, denials);
    private final RateLimiter limiter = new EngineRateLimiter(
            new KeySpace("", "k"), TokenBucket.of(1, 1), Failover.none(new RejectionCache(denials, backend)), clock);

    @Test
    void a_cached_rejection_allocates_nothing() {
        assertThat(limiter.tryAcquire()).isTrue();
        Duration none = Duration.ZERO;
        assertThat(rejected(CALLS, none)).isEqualTo(2 * CALLS);
        int requests = backend.requests();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        int rejected = rejected(CALLS, none);
        long allocated = threads.getThreadAllocatedBytes(thread) - before;
        assertThat(rejected).isEqualTo(2 * CALLS);
        assertThat(backend.requests()).isEqualTo(requests);
        assertThat(allocated).as("bytes in %d calls", 2 * CALLS).isLessThan(CALLS / 10);
    }

    private int rejected(int calls, Duration timeout) {
        int rejected = 0;
        for (int i = 0; i < calls; i++) {
            if (!limiter.tryAcquire()) {
                rejected++;
            }
            if (!limiter.tryAcquire(2, timeout)) {
                rejected++;
            }
        }
        return rejected;
    }
}
