package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Concurrently;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What rate limiters do on every engine when their limits or the clock change. */
abstract class RateLimiterChangesContract extends LimiterContract {

    @Test
    void limiters_of_one_name_share_its_bucket_whatever_their_limits() {
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
    void a_new_rate_keeps_stored_permits_in_seconds_and_reservations() {
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
    void a_rate_that_changes_under_load_adds_no_permits() {
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
    void a_rate_that_is_set_applies_to_all_limiters_of_the_name() {
        RateLimiter first = limiters().build("k", 1, 1, 60);
        RateLimiter roomy = limiters().build("k", 1, 60, 60);
        RateLimiter elsewhere = limiters().build("other", 1, 1, 60);
        first.setRate(50);
        assertThat(limiters().build("k", 1, 1, 60)).isSameAs(first);
        assertThat(limiters().build("k", 7, 1, 60).getRate()).isEqualTo(50);
        assertThat(limiters()
                        .with(LimiterOptions.NONE.withFailurePolicy(FailurePolicy.DENY))
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
}
