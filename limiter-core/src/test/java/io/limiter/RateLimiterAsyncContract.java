package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The part of {@link RateLimiterContract} in which nobody waits. */
abstract class RateLimiterAsyncContract extends RateLimiterReturnsContract {

    private static final int[] PERMITS = {3, 2, 1, 7, 1, 4, 1, 1, 20, 5, 1};
    private static final int[] TIMEOUT_MILLIS = {0, 0, 0, 0, 500, 0, 5000, 0, 10_000, 3000, 0};

    @Test
    void decide_async_decides_as_decide_does() {
        RateLimiter limiter = limiters().build("waiting", 2, 3, 60);
        RateLimiter async = limiters().build("async", 2, 3, 60);
        List<Decision> decisions = new ArrayList<>();
        List<Decision> decisionsAsync = new ArrayList<>();
        long start = clock().micros();
        for (int i = 0; i < PERMITS.length; i++) {
            Duration timeout = Duration.ofMillis(TIMEOUT_MILLIS[i]);
            decisions.add(limiter.decide(PERMITS[i], timeout));
            decisions.add(limiter.on("who").decide(PERMITS[i], timeout));
            clock().advance(Duration.ofMillis(300));
        }
        long end = clock().micros();
        clock().set(start);
        for (int i = 0; i < PERMITS.length; i++) {
            Duration timeout = Duration.ofMillis(TIMEOUT_MILLIS[i]);
            decisionsAsync.add(async.async().decide(PERMITS[i], timeout).join());
            decisionsAsync.add(
                    async.on("who").async().decide(PERMITS[i], timeout).join());
            clock().advance(Duration.ofMillis(300));
        }
        assertThat(decisionsAsync).isEqualTo(decisions);
        assertThat(clock().micros()).as("waited as long").isEqualTo(end);
    }

    @Test
    void a_decision_that_is_not_waited_for_comes_when_its_permits_are_there() {
        RateLimiter limiter = limiters().build("k", TokenBucket.of(1, 1));
        Duration patience = Duration.ofSeconds(5);
        assertThat(limiter.async().decide(1, patience).join().timeToWait()).isZero();
        long start = clock().micros();
        assertThat(limiter.async().decide(2, patience).join().timeToWait()).isEqualTo(Duration.ofSeconds(2));
        assertThat(clock().micros() - start).isEqualTo(2_000_000);
        assertThat(limiter.on("who").async().decide(3, patience).join().timeToWait())
                .isEqualTo(Duration.ofSeconds(2));
        assertThat(limiter.async().decide(7, patience).join().granted()).isFalse();
        assertThat(clock().micros() - start).isEqualTo(4_000_000);
    }

    @Test
    void many_at_a_time_get_exactly_what_is_there() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        List<CompletableFuture<Decision>> asked = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            asked.add(limiter.async().decide(1));
        }
        assertThat(asked.stream().filter(each -> each.join().granted())).hasSize(10);
    }

    @Test
    void to_cancel_what_is_decided_changes_nothing() {
        RateLimiter limiter = limiters().build("k", 1, 3, 60);
        CompletableFuture<Decision> decided = limiter.async().decide(2);
        Decision decision = decided.join();
        assertThat(decided.cancel(true)).isFalse();
        assertThat(decided.join()).isSameAs(decision);
        assertThat(limiter.peek().remaining()).isEqualTo(1);
    }

    @Test
    void every_way_to_acquire_is_there_without_blocking() {
        RateLimiter limiter = limiters().build("k", 1, 2, 60);
        assertThat(limiter.async().tryAcquire().join()).isTrue();
        assertThat(limiter.on("who").async().tryAcquire(2).join()).isTrue();
        assertThat(limiter.on("who").async().tryAcquire().join()).isFalse();
        assertThat(limiter.async().peek(1).join().remaining()).isEqualTo(1);
        assertThat(limiter.on("who").async().peek(1).join().granted()).isFalse();
        assertThat(limiter.on("who").async().acquire(1).join()).isEqualTo(SECOND);
        assertThat(limiter.on("else").async().tryAcquire(3, SECOND).join()).isTrue();
        assertThat(limiter.async().tryAcquire(9, SECOND).join()).isFalse();
        assertThatThrownBy(() -> limiter.async().acquire(1_000_000).join())
                .hasCauseInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void one_permit_need_not_be_counted_asynchronously_either() {
        RateLimiter limiter = limiters().build("k", 1, 1, 60);
        assertThat(limiter.async().peek().join().granted()).isTrue();
        assertThat(limiter.async().tryAcquire(SECOND).join()).isTrue();
        assertThat(limiter.async().tryAcquire(SECOND.minusMillis(1)).join()).isFalse();
        assertThat(limiter.async().reserve().join().timeToWait()).isEqualTo(SECOND);
        assertThat(limiter.async().peek().join().granted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void bad_arguments_are_told_at_once(int permits) {
        RateLimiter limiter = limiters().build("k", 1, 1, 60);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.async().decide(permits))
                .withMessage("permits must be at least 1, was " + permits);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.on("who").async().decide(permits, SECOND));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.on(" ").async().decide(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.on(null).async().decide(1, SECOND));
    }
}
