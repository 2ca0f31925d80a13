package io.limiter;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import io.limiter.testing.Concurrently;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What rate limiters do on every engine. */
abstract class RateLimiterContract extends LimiterContract {

    private long start;

    @BeforeEach
    void rememberStart() {
        start = clock().micros();
    }

    @ParameterizedTest
    @CsvSource({"CALLER, GRRGR", "NEXT_CALLER, GGRGR"})
    void the_caller_or_the_next_one_waits_for_the_permits_of_a_request(WhoWaits whoWaits, String outcomes) {
        RateLimiter limiter =
                limiters().build("sms", TokenBucket.of(1.0 / 60, 60).withWhoWaits(whoWaits));
        assertThat(outcomes(limiter, 0, 0, 30, 60, 61)).isEqualTo(outcomes);
    }

    @Test
    void acquire_waits_for_its_own_permits() {
        RateLimiter limiter = limiters().build("k", 1, 1, 60);
        assertThat(waits(limiter, 1, 2, 3, 4, 5)).containsExactly(0L, 2000L, 3000L, 4000L, 5000L);
        assertThat(clock().micros() - start).isEqualTo(14_000_000);
    }

    @Test
    void acquire_of_guavas_bucket_waits_for_the_permits_of_the_request_before() {
        RateLimiter limiter = limiters().build("k", TokenBucket.guava(1));
        assertThat(waits(limiter, 1, 2, 3, 4, 5)).containsExactly(0L, 1000L, 2000L, 3000L, 4000L);
    }

    @Test
    void a_warm_up_is_slow_at_first() {
        RateLimiter limiter = limiters().build("k", TokenBucket.guava(2, seconds(4)));
        // As Guava's create(2, 4 s): from cold, three times slower, down to half a second each.
        assertThat(waits(limiter, 1, 1, 1, 1, 1, 1, 1, 1))
                .containsExactly(0L, 1375L, 1125L, 875L, 625L, 500L, 500L, 500L);
    }

    @Test
    void a_full_bucket_grants_its_capacity_at_once_and_no_more() {
        RateLimiter limiter = limiters().build("k", 10, 2, 60);
        for (int i = 0; i < 20; i++) {
            assertThat(limiter.tryAcquire()).as("permit %d", i).isTrue();
        }
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(Duration.ofMillis(99));
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(Duration.ofMillis(1));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
    }

    @Test
    void several_permits_are_all_granted_or_none() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        assertThat(limiter.tryAcquire(7)).isTrue();
        assertThat(limiter.tryAcquire(4)).isFalse();
        assertThat(limiter.tryAcquire(3)).isTrue();
    }

    @Test
    void of_several_permits_those_that_are_stored_are_taken() {
        RateLimiter limiter = limiters().build("k", TokenBucket.perSecond(1).withCapacity(25));
        assertThat(limiter.tryAcquireUpTo(10)).isEqualTo(10);
        assertThat(limiter.async().tryAcquireUpTo(10).join()).isEqualTo(10);
        assertThat(limiter.tryAcquireUpTo(10)).isEqualTo(5);
        assertThat(limiter.tryAcquireUpTo(10)).isZero();
        clock().advance(Duration.ofMillis(2_500));
        assertThat(limiter.tryAcquireUpTo(10)).isEqualTo(2);
        assertThat(limiter.decide(1).retryAfter())
                .as("nothing was booked ahead")
                .hasValue(Duration.ofMillis(500));
        assertThat(limiter.reserve(3, seconds(9)).isGranted()).isTrue();
        clock().advance(seconds(2));
        assertThat(limiter.tryAcquireUpTo(10)).as("others wait").isZero();
    }

    @Test
    void where_the_next_caller_waits_one_permit_is_taken_or_those_that_are_stored() {
        RateLimiter limiter =
                limiters().build("k", TokenBucket.perSecond(1).withCapacity(5).withWhoWaits(WhoWaits.NEXT_CALLER));
        assertThat(limiter.tryAcquireUpTo(9)).isEqualTo(5);
        assertThat(limiter.tryAcquireUpTo(9)).isOne();
        assertThat(limiter.tryAcquireUpTo(9)).isZero();
        RateLimiter cold = limiters().build("cold", TokenBucket.guava(2, seconds(4)));
        assertThat(cold.tryAcquireUpTo(100))
                .as("stored, as long as it takes the next caller")
                .isEqualTo(8);
        assertThat(cold.tryAcquireUpTo(100)).isZero();
    }

    @Test
    void a_caller_waits_only_if_its_timeout_is_enough() {
        RateLimiter limiter = limiters().build("k", 1, 1, 60);
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire(999, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(clock().micros() - start).isZero();
        assertThat(limiter.tryAcquire(SECOND)).isTrue();
        assertThat(clock().micros() - start).isEqualTo(1_000_000);
        assertThat(limiter.tryAcquire(2, seconds(1))).isFalse();
        assertThat(limiter.tryAcquire(2, 2, TimeUnit.SECONDS)).isTrue();
        assertThat(clock().micros() - start).isEqualTo(3_000_000);
    }

    @Test
    void a_negative_timeout_does_not_wait() {
        RateLimiter limiter = limiters().build("k", 1, 1, 60);
        assertThat(limiter.tryAcquire(seconds(-5))).isTrue();
        assertThat(limiter.tryAcquire(Long.MIN_VALUE, TimeUnit.NANOSECONDS)).isFalse();
    }

    @Test
    void the_longest_timeout_waits_no_longer_than_max_wait() {
        RateLimiter limiter = limiters().build("k", TokenBucket.of(1, 1).withMaxWait(seconds(10)));
        assertThat(limiter.tryAcquire(11, Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
        assertThat(limiter.tryAcquire(11, Long.MAX_VALUE, TimeUnit.DAYS)).isFalse();
        assertThatThrownBy(() -> limiter.acquire(11))
                .isInstanceOf(RateLimitExceededException.class)
                .hasMessage("Too many requests, try again in 1 s");
        assertThatThrownBy(() -> limiter.on("key").acquire(12))
                .isInstanceOfSatisfying(RateLimitExceededException.class, e -> {
                    assertThat(e.limiter()).isEqualTo("k");
                    assertThat(e.keys()).containsExactly("key");
                    assertThat(e.decision().retryAfter()).isEmpty();
                });
    }

    @Test
    void a_rejection_has_all_keys_as_they_were_given() {
        RateLimiter limiter = limiters()
                .build("k", TokenBucket.of(1, 1).withMaxWait(seconds(10)))
                .on("tenant#1")
                .on("50%");
        assertThatThrownBy(() -> limiter.acquire(12))
                .isInstanceOfSatisfying(
                        RateLimitExceededException.class,
                        e -> assertThat(e.keys()).containsExactly("tenant#1", "50%"));
        assertThatThrownBy(() -> limiter.async().acquire(12).join())
                .hasCauseInstanceOf(RateLimitExceededException.class)
                .extracting(e -> ((RateLimitExceededException) e.getCause()).keys())
                .isEqualTo(List.of("tenant#1", "50%"));
    }

    @Test
    void a_bucket_of_less_than_a_permit_grants_it_to_callers_that_wait() {
        TokenBucket half = TokenBucket.forWaiting(0.5, 1, seconds(2));
        RateLimiter limiter = limiters().build("k", half);
        assertThat(limiter.tryAcquire(seconds(2))).isTrue();
        assertThat(clock().micros() - start).isEqualTo(1_000_000);
        assertThat(limiter.on("key").decide(1, seconds(2)).timeToWait()).isEqualTo(seconds(1));
        assertThat(limiter.on("key").tryAcquire(Duration.ZERO)).isFalse();
    }

    @Test
    void each_key_has_permits_of_its_own() {
        RateLimiter limiter = limiters().build("sms", 1, 1, 60);
        assertThat(limiter.tryAcquire("0171")).isTrue();
        assertThat(limiter.tryAcquire("0172")).isTrue();
        assertThat(limiter.tryAcquire("0171")).isFalse();
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire("0171", 1, TimeUnit.SECONDS)).isTrue();
        assertThat(limiter.acquire("0173")).isZero();
        assertThat(limiter.acquire("0173")).isEqualTo(SECOND);
        assertThat(limiter.on("0173").tryAcquire(2, SECOND)).isFalse();
        assertThat(limiter.on("0173").tryAcquire(2, 2, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void another_name_or_prefix_is_another_bucket() {
        assertThat(limiters().build("a", 1, 1, 60).tryAcquire()).isTrue();
        assertThat(limiters().build("b", 1, 1, 60).tryAcquire()).isTrue();
        assertThat(limiters().build("a:b", 1, 1, 60).tryAcquire()).isTrue();
        assertThat(limiters().build("a", 1, 1, 60).tryAcquire("b")).isTrue();
    }

    @Test
    void a_peek_decides_as_a_call_would_and_takes_no_permits() {
        RateLimiter limiter = limiters().build("k", 1, 2, 60);
        assertThat(limiter.peek().isGranted()).isTrue();
        assertThat(limiter.peek().remaining()).isEqualTo(2);
        assertThat(limiter.tryAcquire(2)).isTrue();
        assertThat(limiter.peek().isGranted()).isFalse();
        assertThat(limiter.peek(2).retryAfter()).hasValue(seconds(2));
        assertThat(limiter.on("key").peek().isGranted()).isTrue();
        assertThat(limiter.on("key").peek(3).retryAfter()).isEmpty();
        assertThat(limiter.on("key").tryAcquire(2)).isTrue();
        assertThat(clock().micros() - start).isZero();
    }

    @Test
    void the_decision_has_remaining_permits_and_retry_after() {
        RateLimiter limiter = limiters().build("k", 2, 5, 60);
        Decision decision = limiter.decide(3);
        assertThat(decision).isEqualTo(decision(true, 10, 7, 0, 0, 1_500_000, decision.source()));
        assertThat(decision.source()).isEqualTo(Decision.Source.BACKEND);
        assertThat(limiter.decide(8)).isEqualTo(decision(false, 10, 7, 500_000, 500_000, 1_500_000));
        assertThat(limiter.decide(8, Duration.ofMillis(200)))
                .isEqualTo(decision(false, 10, 7, 500_000, 300_000, 1_500_000));
        Decision later = limiter.decide(8, SECOND);
        assertThat(later).isEqualTo(decision(true, 10, 0, 500_000, 0, 5_500_000, later.source()));
        assertThat(limiter.decide(11)).satisfies(never -> {
            assertThat(never.retryAfter()).isEmpty();
            assertThat(never.isGranted()).isFalse();
        });
        assertThat(limiter.on("key").decide(10, Duration.ZERO).fullAfter()).isEqualTo(seconds(5));
    }

    @Test
    void a_retry_at_retry_after_is_granted() {
        RateLimiter limiter = limiters().build("k", 7.0 / 3, 3, 60);
        for (int i = 0; i < steps(200); i++) {
            long permits = 1 + i % 7;
            Decision decision = limiter.decide(permits);
            if (!decision.isGranted()) {
                clock().advance(decision.retryAfter().orElseThrow());
                assertThat(limiter.decide(permits).isGranted()).as("call %d", i).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {1.0, 1000.0, 1_000_000.0})
    void threads_are_granted_exactly_the_capacity(double rate) {
        RateLimiter limiter = limiters().build("k", rate, 100 / rate, 60);
        AtomicInteger granted = new AtomicInteger();
        Concurrently.run(8, () -> {
            for (int i = 0; i < 25; i++) {
                if (limiter.tryAcquire()) {
                    granted.incrementAndGet();
                }
            }
        });
        assertThat(granted).hasValue(100);
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 31, 5_000_000_000L, 1L << 32, 1_000_000_000_000L})
    void buckets_of_any_capacity_are_exact_at_the_last_permit(long capacity) {
        RateLimiter limiter =
                limiters().build("k", TokenBucket.perSecond(1_000_000).withCapacity(capacity));
        assertThat(limiter.decide(capacity - 1).remaining()).isEqualTo(1);
        assertThat(limiter.tryAcquire(2)).isFalse();
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(Duration.ofSeconds(4_000));
        long refilled = Math.min(capacity, 4_000_000_000L);
        assertThat(limiter.peek().remaining()).isEqualTo(refilled);
        assertThat(limiter.tryAcquire(refilled + 1)).isFalse();
        assertThat(limiter.acquire(refilled)).isZero();
        assertThat(limiter.acquire(3_000_000_000L)).isEqualTo(Duration.ofSeconds(3_000));
        assertThat(limiter.on("key").charge(capacity).remaining()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Integer.MIN_VALUE, Long.MIN_VALUE})
    void permits_below_one_are_errors(long permits) {
        RateLimiter limiter = limiters().build("k", 1, 1, 60);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.tryAcquire(permits))
                .withMessage("permits must be at least 1, was " + permits);
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.on("key").acquire(permits));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.peek(permits));
    }

    @Test
    void blank_names_and_keys_are_errors() {
        RateLimiter limiter = limiters().build("k", 1, 1, 60);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.tryAcquire(" "))
                .withMessageContaining("key");
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire((String) null));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters().build("", 1, 1, 60))
                .withMessageContaining("name");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        limiters().with(LimiterOptions.NONE.withPrefix("a{b}")).build("k", 1, 1, 60));
    }

    @Test
    void a_bucket_that_could_never_grant_a_permit_is_an_error() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters().build("k", 0.5, 1, 60))
                .withMessageContaining("capacity must be at least 1 permit (at 0.5/s a burst of 2.0 s)");
        RateLimiter one = limiters().build("k", 1.0 / 49, 49, 60);
        assertThat(one.tryAcquire()).isTrue();
        clock().advance(seconds(49));
        assertThat(one.tryAcquire()).isTrue();
    }

    /** What each call of acquire waits, in milliseconds. */
    private static List<Long> waits(RateLimiter limiter, int... permits) {
        return Arrays.stream(permits)
                .mapToObj(each -> limiter.acquire(each).toMillis())
                .toList();
    }

    /** For each second whether one permit was granted, {@code G}, or rejected, {@code R}. */
    private String outcomes(RateLimiter limiter, double... seconds) {
        StringBuilder outcomes = new StringBuilder();
        for (double second : seconds) {
            clock().atSecond(second);
            outcomes.append(limiter.tryAcquire() ? 'G' : 'R');
        }
        return outcomes.toString();
    }
}
