package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the asynchronous view of a rate limiter does on every engine. */
abstract class RateLimiterAsyncContract extends LimiterContract {

    private static final int[] PERMITS = {3, 2, 1, 7, 1, 4, 1, 1, 20, 5, 1};
    private static final int[] TIMEOUT_MILLIS = {0, 0, 0, 0, 500, 0, 5000, 0, 10_000, 3000, 0};

    @Test
    void async_decides_as_blocking_does() {
        RateLimiter limiter = limiters().build("blocking", 2, 3, 60);
        RateLimiter async = limiters().build("async", 2, 3, 60);
        List<Decision> decisions = new ArrayList<>();
        List<Decision> decisionsAsync = new ArrayList<>();
        long start = clock().micros();
        for (int i = 0; i < PERMITS.length; i++) {
            Duration timeout = Duration.ofMillis(TIMEOUT_MILLIS[i]);
            decisions.add(limiter.decide(PERMITS[i], timeout));
            decisions.add(limiter.on("key").decide(PERMITS[i], timeout));
            clock().advance(Duration.ofMillis(300));
        }
        long end = clock().micros();
        clock().set(start);
        for (int i = 0; i < PERMITS.length; i++) {
            Duration timeout = Duration.ofMillis(TIMEOUT_MILLIS[i]);
            decisionsAsync.add(async.async().decide(PERMITS[i], timeout).join());
            decisionsAsync.add(
                    async.on("key").async().decide(PERMITS[i], timeout).join());
            clock().advance(Duration.ofMillis(300));
        }
        assertThat(decisionsAsync).isEqualTo(decisions);
        assertThat(clock().micros()).as("waited as long").isEqualTo(end);
    }

    @Test
    void a_future_completes_when_its_permits_may_be_used() {
        RateLimiter limiter = limiters().build("k", TokenBucket.of(1, 1));
        Duration patience = seconds(5);
        assertThat(limiter.async().decide(1, patience).join().timeToWait()).isZero();
        long start = clock().micros();
        assertThat(limiter.async().decide(2, patience).join().timeToWait()).isEqualTo(seconds(2));
        assertThat(clock().micros() - start).isEqualTo(2_000_000);
        assertThat(limiter.on("key").async().decide(3, patience).join().timeToWait())
                .isEqualTo(seconds(2));
        assertThat(limiter.async().decide(7, patience).join().isGranted()).isFalse();
        assertThat(clock().micros() - start).isEqualTo(4_000_000);
    }

    @Test
    void concurrent_futures_are_granted_exactly_the_capacity() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        List<CompletableFuture<Decision>> decisions = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            decisions.add(limiter.async().decide(1));
        }
        assertThat(decisions.stream().filter(each -> each.join().isGranted())).hasSize(10);
        assertThat(limiter.async().peek().join()).isEqualTo(limiter.peek());
        assertThat(limiter.on("key").async().peek(3).join())
                .isEqualTo(limiter.on("key").peek(3));
    }

    @Test
    void to_cancel_a_completed_future_changes_nothing() {
        RateLimiter limiter = limiters().build("k", 1, 3, 60);
        CompletableFuture<Decision> decided = limiter.async().decide(2);
        Decision decision = decided.join();
        assertThat(decided.cancel(true)).isFalse();
        assertThat(decided.join()).isSameAs(decision);
        assertThat(limiter.peek().remaining()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void invalid_arguments_are_errors_of_the_call(long permits) {
        RateLimiter limiter = limiters().build("k", 1, 1, 60);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.async().decide(permits))
                .withMessage("permits must be at least 1, was " + permits);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.on("key").async().decide(permits, SECOND));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.on(" ").async().decide(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.on(null).async().decide(1, SECOND));
    }
}
