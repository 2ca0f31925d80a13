package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How callers with a timeout wait for limits that reserve nothing, on every engine. */
abstract class WaitingContract extends LimiterContract {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    static Stream<Limit> counting() {
        return Stream.of(
                FixedWindow.of(2, TEN_SECONDS), SlidingLog.of(2, TEN_SECONDS), SlidingCounter.of(2, TEN_SECONDS));
    }

    @ParameterizedTest
    @MethodSource("counting")
    void a_caller_waits_for_the_retry_after_and_is_decided_again(Limit limit) {
        Limiter limiter = limiters().build("k", limit);
        for (boolean async : List.of(false, true)) {
            String key = "async " + async;
            assertThat(limiter.on(key).tryAcquire(2)).isTrue();
            long retryMicros = limiter.decide(key).retryAfterMicros();
            long before = clock().micros();
            Decision decision = async
                    ? limiter.async().on(key).decide(1, MINUTE).join()
                    : limiter.on(key).decide(1, MINUTE);
            assertThat(decision.isGranted()).isTrue();
            assertThat(decision.timeToWait()).isZero();
            assertThat(clock().micros() - before).isEqualTo(retryMicros);
        }
    }

    @ParameterizedTest
    @MethodSource("counting")
    void a_retry_after_beyond_the_timeout_is_rejected_immediately(Limit limit) {
        Limiter limiter = limiters().build("k", limit);
        assertThat(limiter.tryAcquire(2)).isTrue();
        Decision rejection = limiter.decide(1);
        Duration tooShort = Duration.ofNanos(1000 * (rejection.retryAfterMicros() - 1));
        long before = clock().micros();
        assertThat(sourceless(limiter.decide(1, tooShort))).isEqualTo(sourceless(rejection));
        assertThat(sourceless(limiter.async().decide(1, tooShort).join())).isEqualTo(sourceless(rejection));
        assertThat(limiter.decide(3, MINUTE).retryAfter()).as("never").isEmpty();
        assertThat(limiter.tryAcquire(Duration.ZERO)).isFalse();
        assertThat(limiter.tryAcquire(MINUTE.negated())).isFalse();
        assertThat(clock().micros()).isEqualTo(before);
    }

    private static Decision sourceless(Decision decision) {
        return decision.withSource(Decision.Source.BACKEND);
    }

    @Test
    void the_rejection_of_another_caller_does_not_answer_too_early() {
        Limiter window = limiters().build("k", FixedWindow.of(1, Duration.ofMillis(1)));
        for (int i = 0; i < 20; i++) {
            window.tryAcquire("a");
            clock().advance(Duration.ofNanos(1000 * 7 * i));
            window.tryAcquire("a");
            long before = clock().micros();
            assertThat(window.on("a").tryAcquire(TEN_SECONDS)).isTrue();
            assertThat(clock().micros() - before).isLessThanOrEqualTo(1000);
        }
    }

    @Test
    void each_key_waits_for_itself() {
        Limiter window = limiters().build("k", FixedWindow.of(1, TEN_SECONDS));
        assertThat(window.on("a").on("b").tryAcquire()).isTrue();
        long before = clock().micros();
        assertThat(window.on("a").on("c").tryAcquire(MINUTE)).isTrue();
        assertThat(window.on("a").tryAcquire(MINUTE)).isTrue();
        assertThat(clock().micros()).isEqualTo(before);
        assertThat(window.on("a").on("b").tryAcquire(1, MINUTE)).isTrue();
        assertThat(clock().micros() - before).isEqualTo(10_000_000);
    }

    @Test
    void a_call_that_waits_counts_as_one_decision_and_one_wait() {
        Limiter window = limiters().build("k", FixedWindow.of(1, TEN_SECONDS));
        assertThat(window.tryAcquire("a")).isTrue();
        assertThat(window.on("a").tryAcquire(MINUTE)).isTrue();
        assertThat(window.async().on("a").tryAcquire(MINUTE).join()).isTrue();
        assertThat(window.on("a").tryAcquire(Duration.ofSeconds(1))).isFalse();
        LimiterTotals totals = limiters().statistics().totals().stream()
                .filter(each -> each.name().equals("k"))
                .findFirst()
                .orElseThrow();
        assertThat(totals.granted()).isEqualTo(3);
        assertThat(totals.rejected()).isEqualTo(1);
        assertThat(totals.waits()).isEqualTo(2);
        assertThat(totals.waited()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void invalid_permits_are_errors_before_any_wait() {
        Limiter window = limiters().build("k", FixedWindow.of(1, TEN_SECONDS));
        assertThatIllegalArgumentException().isThrownBy(() -> window.tryAcquire(0, MINUTE));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> window.async().tryAcquire(0, MINUTE))
                .withMessage("permits must be at least 1, was 0");
    }

    @Test
    void a_set_waits_for_its_windows_and_then_for_its_bucket() {
        Limiter window = limiters().build("w", FixedWindow.of(2, TEN_SECONDS));
        Limiter log = limiters().build("l", SlidingLog.of(2, Duration.ofSeconds(4)));
        RateLimiter bucket = limiters().build("b", TokenBucket.perSecond(0.05).withCapacity(1));
        LimitSet set = LimitSet.of(window, log, bucket);
        assertThat(log.tryAcquire(2)).isTrue();
        assertThat(window.tryAcquire(2)).isTrue();
        assertThat(bucket.tryAcquire()).isTrue();
        long before = clock().micros();
        assertThat(set.tryAcquire(1, Duration.ofSeconds(19))).isFalse();
        assertThat(clock().micros()).as("a bucket decides immediately").isEqualTo(before);
        SetDecision granted = set.decide(1, MINUTE);
        assertThat(granted.isGranted()).isTrue();
        assertThat(granted.timeToWait()).as("after the windows").isEqualTo(TEN_SECONDS);
        assertThat(clock().micros() - before).isEqualTo(20_000_000);
        assertThat(window.peek().remaining()).isEqualTo(2);
        assertThat(set.async().tryAcquire(2, Duration.ofSeconds(3)).join()).isFalse();
    }

    @Test
    void a_set_waits_for_each_window_within_its_own_timeout() {
        Limiter quick = limiters().build("quick", FixedWindow.of(1, Duration.ofSeconds(1)));
        Limiter slow = limiters().build("slow", FixedWindow.of(1, TEN_SECONDS));
        LimitSet set = LimitSet.of(quick, slow);
        assertThat(set.decide(1).isGranted()).isTrue();
        long before = clock().micros();
        assertThat(set.decide(1, MINUTE, Duration.ofSeconds(9)).rejectedBy()).contains("slow");
        assertThat(set.decide(1, Duration.ZERO, MINUTE).rejectedBy()).isPresent();
        assertThat(clock().micros()).isEqualTo(before);
        assertThat(set.async().decide(1, MINUTE, MINUTE).join().isGranted()).isTrue();
        assertThat(clock().micros() - before).isEqualTo(10_000_000);
    }
}
