package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Concurrently;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The part of {@link RateLimiterContract} in which numbers and clocks change. */
abstract class RateLimiterChangesContract {

    protected static final Duration SECOND = Duration.ofSeconds(1);

    /** A factory on the engine under test, with keys of this test's own. */
    protected abstract LimiterFactory limiters();

    /** The clock of the engine, on which its limiters also sleep. */
    protected abstract TestClock clock();

    @Test
    void one_name_is_one_bucket_whatever_the_numbers() {
        RateLimiter slow = limiters().build("k", 1, 1, 60);
        assertThat(slow.tryAcquire()).isTrue();
        RateLimiter fast = limiters().build("k", 100, 1, 60);
        assertThat(fast.limit().permitsPerSecond()).isEqualTo(100);
        assertThat(fast.tryAcquire()).isFalse();
        clock().advance(Duration.ofMillis(10));
        assertThat(fast.tryAcquire()).isTrue();
        assertThat(limiters().build("k", 100, 1, 60)).isSameAs(fast);
    }

    @Test
    void a_new_rate_keeps_what_was_earned_and_owed() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        assertThat(limiter.tryAcquire(10)).isTrue();
        clock().advance(seconds(4));
        limiter.setRate(2);
        assertThat(limiter.getRate()).isEqualTo(2);
        // Four of ten at the old rate are eight of twenty at the new one.
        assertThat(limiter.peek().remaining()).isEqualTo(8);
        assertThat(limiter.peek().limit()).isEqualTo(20);
        assertThat(limiter.tryAcquire(9)).isFalse();
        clock().advance(Duration.ofMillis(500));
        assertThat(limiter.tryAcquire(9)).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
    }

    @Test
    void a_new_rate_takes_effect_even_if_the_first_call_is_rejected() {
        RateLimiter limiter = limiters().build("k", 1.0 / 3600, 3600, 60);
        assertThat(limiter.tryAcquire()).isTrue();
        limiter.setRate(10);
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(Duration.ofMillis(100));
        assertThat(limiter.tryAcquire()).isTrue();
    }

    @Test
    void limiters_with_other_numbers_on_one_bucket_mint_nothing() {
        RateLimiter roomy = limiters().build("k", 10, 1, 60);
        RateLimiter tight = limiters().build("k", 10, 0.1, 60);
        int granted = 0;
        for (int i = 0; i < 1000; i++) {
            granted += roomy.tryAcquire() ? 1 : 0;
            tight.tryAcquire(1, Duration.ZERO);
            granted += tight.tryAcquire() ? 1 : 0;
            clock().advance(Duration.ofMillis(10));
        }
        assertThat(granted).isLessThanOrEqualTo(10 + 100);
    }

    @Test
    void a_rate_that_changes_under_load_mints_nothing() {
        RateLimiter limiter = limiters().build("k", 100, 1, 60);
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        Concurrently.run(8, () -> {
            for (int i = 0; i < 30; i++) {
                limiter.setRate(calls.getAndIncrement() % 2 == 0 ? 50 : 100);
                if (limiter.tryAcquire()) {
                    granted.incrementAndGet();
                }
            }
        });
        assertThat(granted.get()).isBetween(50, 100);
    }

    @Test
    void a_bucket_that_starts_empty_fills_although_every_call_is_rejected_at_first() {
        RateLimiter limiter = limiters().build("k", TokenBucket.of(1, 10).withStartsFull(false));
        assertThat(limiter.decide(1).retryAfter()).hasValue(SECOND);
        clock().advance(Duration.ofMillis(500));
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(Duration.ofMillis(500));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
    }

    @Test
    void a_rate_that_was_set_is_that_of_all_limiters_of_the_name() {
        RateLimiter first = limiters().build("k", 1, 1, 60);
        RateLimiter roomy = limiters().build("k", 1, 60, 60);
        RateLimiter elsewhere = limiters().build("other", 1, 1, 60);
        first.setRate(50);
        assertThat(limiters().build("k", 1, 1, 60)).isSameAs(first);
        assertThat(limiters().build("k", 7, 1, 60).getRate()).isEqualTo(50);
        assertThat(limiters()
                        .withFailurePolicy(FailurePolicy.DENY)
                        .build("k", 1, 1, 60)
                        .getRate())
                .isEqualTo(50);
        assertThat(roomy.getRate()).isEqualTo(50);
        assertThat(roomy.limit().burstSeconds()).isEqualTo(60);
        assertThat(elsewhere.getRate()).isEqualTo(1);
        roomy.setRate(1);
        assertThat(first.getRate()).isEqualTo(1);
    }

    @Test
    void limiters_of_one_name_share_a_new_rate_and_do_not_rescale_the_bucket_in_turn() {
        RateLimiter first = limiters().build("k", 1, 10, 60);
        assertThat(first.tryAcquire(10)).isTrue();
        first.setRate(100);
        int granted = 0;
        for (int i = 0; i < 100; i++) {
            clock().advance(Duration.ofMillis(10));
            granted += (i % 2 == 0 ? first : limiters().build("k", 1, 10, 60)).tryAcquire() ? 1 : 0;
        }
        assertThat(granted).isEqualTo(100);
    }

    @Test
    void a_clock_that_steps_back_gives_nothing_away() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        assertThat(limiter.tryAcquire(10)).isTrue();
        clock().advance(seconds(-60));
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(seconds(60));
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(seconds(1));
        assertThat(limiter.tryAcquire()).isTrue();
    }

    @Test
    void a_clock_that_steps_back_far_freezes_nobody_for_longer_than_an_hour() {
        RateLimiter limiter = limiters().build("k", TokenBucket.of(1, 1).withMaxWait(seconds(30)));
        assertThat(limiter.tryAcquire()).isTrue();
        clock().advance(Duration.ofDays(-10));
        assertThat(limiter.decide(1).retryAfter()).hasValue(seconds(3601));
        clock().advance(seconds(3601));
        assertThat(limiter.tryAcquire()).isTrue();
    }

    @Test
    void a_clock_that_steps_back_takes_no_stored_permit_away() {
        for (Duration step : List.of(Duration.ofMillis(50), SECOND, Duration.ofHours(1), Duration.ofDays(10))) {
            RateLimiter limiter = limiters().build("k" + step.toMillis(), 100, 10, 60);
            assertThat(limiter.tryAcquire()).isTrue();
            clock().advance(step.negated());
            assertThat(limiter.peek().remaining()).isEqualTo(999);
            assertThat(limiter.tryAcquire()).isTrue();
            assertThat(limiter.tryAcquire(998)).isTrue();
            assertThat(limiter.tryAcquire()).isFalse();
        }
    }

    @Test
    void a_clock_that_steps_back_and_forth_mints_nothing() {
        for (Duration step : List.of(SECOND, seconds(60), seconds(3600))) {
            RateLimiter limiter = limiters().build("k" + step.toMillis(), 10, 1, 60);
            long granted = 0;
            for (int i = 0; i < 20; i++) {
                granted += limiter.tryAcquire(3) ? 3 : 0;
                granted += limiter.tryAcquire() ? 1 : 0;
                clock().advance(i % 2 == 0 ? step.negated() : step);
            }
            assertThat(granted).as(step.toString()).isEqualTo(10);
        }
    }

    @Test
    void a_shorter_max_wait_leaves_what_others_have_booked() {
        RateLimiter patient = limiters().build("k", LeakyBucket.queue(10, 100));
        RateLimiter hasty = limiters().build("k", LeakyBucket.queue(10, 10));
        int granted = 0;
        for (int i = 0; i < 150; i++) {
            granted += patient.reserve().isGranted() ? 1 : 0;
        }
        assertThat(granted).as("one at once, and a hundred who wait").isEqualTo(101);
        for (int i = 0; i < 100; i++) {
            assertThat(hasty.reserve().isGranted()).isFalse();
            granted += patient.reserve().isGranted() ? 1 : 0;
            granted += patient.reserve().isGranted() ? 1 : 0;
            clock().advance(Duration.ofMillis(100));
        }
        assertThat(granted).isEqualTo(101 + 99);
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }
}
