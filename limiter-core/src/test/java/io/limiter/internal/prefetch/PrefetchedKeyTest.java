package io.limiter.internal.prefetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.PrefetchTerms;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The prefetched blocks of one key. */
class PrefetchedKeyTest {

    private static final Decision GRANTED = new Decision(true, 100, 100, 0, 0, 0);

    private final TestClock clock = new TestClock();
    private final ExpiryClock expiry = new ExpiryClock(clock, clock);
    private final PrefetchedKey key = new PrefetchedKey(
            "k",
            TokenBucket.of(1, 1),
            new PrefetchTerms(10, Duration.ofSeconds(1)),
            new SteppingEngine(clock::micros, new KnownRejections(0)),
            expiry,
            new HandSleeper(clock),
            new LogThrottle(clock));

    @Test
    void a_block_that_replaces_another_during_the_count_is_counted() {
        key.add(new PrefetchedPermits(1, GRANTED, in(1), in(1)) {
            private boolean counted;

            @Override
            int left() {
                int left = super.left();
                if (!counted) {
                    counted = true;
                    // Other threads use it up and go on to the next.
                    take(left);
                    assertThat(key.takeFrom(1)).isNotNull();
                }
                return left;
            }
        });
        key.add(new PrefetchedPermits(10, GRANTED, in(1), in(1)));
        assertThat(key.left()).as("of 9 permits in blocks").isGreaterThanOrEqualTo(9);
    }

    private ExpiryClock.Deadline in(int seconds) {
        return expiry.in(Duration.ofSeconds(seconds).toNanos());
    }
}
