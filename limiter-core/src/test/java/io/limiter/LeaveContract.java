package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What limiters leave to the others of their name, on every engine. */
abstract class LeaveContract extends LimiterContract {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final LimiterOptions LOW = LimiterOptions.NONE.withLeave(Share.parse("20%"));
    private static final TokenBucket TEN_PER_SECOND = TokenBucket.perSecond(10);

    private static List<Limit> kinds() {
        return List.of(
                TokenBucket.per(10, HOUR),
                LeakyBucket.meter(0.001, 10),
                FixedWindow.of(10, HOUR),
                SlidingLog.of(10, HOUR),
                SlidingCounter.of(10, HOUR));
    }

    @Test
    void permits_are_left_to_others_of_every_kind_of_limit() {
        for (Limit limit : kinds()) {
            String name = limit.toString();
            Limiter low = limiters().with(LOW).build(name, limit);
            Limiter high = limiters().build(name, limit);
            assertThat(low.peek().remaining()).isEqualTo(8);
            assertThat(low.peek().limit()).isEqualTo(8);
            assertThat(low.peek(9).isNever()).isTrue();
            assertThat(low.tryAcquire(5)).isTrue();
            assertThat(low.async().tryAcquire(2).join()).isTrue();
            assertThat(low.decide(1).remaining()).isZero();
            Decision rejected = low.decide(1);
            assertThat(rejected.isGranted()).isFalse();
            assertThat(rejected.remaining()).isZero();
            assertThat(rejected.retryAfter()).as(name).isEqualTo(high.peek(3).retryAfter());
            assertThat(low.tryAcquire()).isFalse();
            assertThat(low.reserve(1).isGranted()).isFalse();
            assertThat(LimitSet.of(low).tryAcquire()).isFalse();
            assertThat(high.tryAcquire()).isTrue();
            assertThat(low.tryAcquire()).isFalse();
            assertThat(high.tryAcquire()).isTrue();
            assertThat(high.tryAcquire()).isFalse();
            assertThat(low.refund(3).remaining()).isOne();
            assertThat(low.tryAcquireUpTo(5)).isOne();
            assertThat(low.tryAcquireUpTo(5)).isZero();
        }
    }

    @Test
    void a_plan_leaves_permits_to_the_others_of_its_limit() {
        Limiter all = limiters().build("k", FixedWindow.of(10, HOUR));
        Limiter free = limiters()
                .with(LimiterOptions.NONE.withPlan("free").withLeave(Share.permits(4)))
                .build("k", FixedWindow.of(10, HOUR));
        assertThat(free.tryAcquireUpTo(10)).isEqualTo(6);
        assertThat(all.tryAcquireUpTo(10)).isEqualTo(4);
    }

    /** Also where a part is taken first and cancelled. */
    @Test
    void of_a_set_that_another_part_rejects_it_says_what_its_caller_can_use() {
        for (Limit limit : kinds()) {
            Limiter low = limiters().with(LOW).build(limit.toString(), limit).on("ann");
            // A rejection that is known would decide the set without the other part.
            Limiter used = limiters()
                    .build("used next to " + limit, FixedWindow.of(1, HOUR))
                    .on("ann");
            used.tryAcquire();
            Decision decision = LimitSet.of(low, used).decide(1).parts().get(0).decision();
            assertThat(decision.limit()).as(limit.toString()).isEqualTo(8);
            assertThat(decision.remaining()).as(limit.toString()).isEqualTo(8);
        }
    }

    @Test
    void a_plan_can_say_that_it_leaves_none_and_then_reserves_ahead() {
        LimiterFactory low = limiters().with(LOW);
        RateLimiter pro = low.with(LimiterOptions.NONE.withPlan("pro").withLeave(Share.permits(0)))
                .build("k", TEN_PER_SECOND);
        assertThat(low.build("k", TEN_PER_SECOND).tryAcquireUpTo(10)).isEqualTo(8);
        assertThat(pro.tryAcquire(2)).isTrue();
        assertThat(pro.reserve(5, HOUR).decision().timeToWait()).isEqualTo(Duration.ofMillis(500));
        assertThat(limiters()
                        .with(LimiterOptions.NONE.withLeave(Share.parse("0%")))
                        .build("held", ConcurrencyLimit.of(1))
                        .limit()
                        .limit())
                .isOne();
    }

    @Test
    void it_reserves_nothing_where_a_lower_rate_has_left_a_capacity_of_one() {
        RateLimiter low = limiters().with(LOW).build("k", TEN_PER_SECOND);
        RateLimiter high = limiters().build("k", TEN_PER_SECOND);
        assertThat(high.tryAcquire(10)).isTrue();
        low.setRate(1);
        assertThat(low.reserve(1, HOUR).isGranted()).isFalse();
        clock().advance(Duration.ofSeconds(1));
        assertThat(high.tryAcquire()).isTrue();
    }

    @Test
    void with_a_timeout_it_waits_as_for_a_window_and_reserves_nothing() {
        RateLimiter low = limiters().with(LOW).build("k", TEN_PER_SECOND);
        RateLimiter high = limiters().build("k", TEN_PER_SECOND);
        assertThat(high.tryAcquire(10)).isTrue();
        assertThat(low.tryAcquire(1, Duration.ofMillis(299))).isFalse();
        long start = clock().micros();
        assertThat(low.decide(1, Duration.ofSeconds(1)).isGranted()).isTrue();
        assertThat(clock().micros() - start).as("until there are three").isEqualTo(300_000);
        assertThat(high.decide(1).remaining()).isOne();
        assertThat(low.acquire()).as("from one to three").isEqualTo(Duration.ofMillis(200));
        assertThat(low.reserve(2, Duration.ofSeconds(9)).isGranted())
                .as("is not booked ahead")
                .isFalse();
        assertThat(high.tryAcquire(2)).isTrue();
    }

    @Test
    void a_rejection_only_for_what_is_left_counts_for_no_ban() {
        Ban ban = Ban.after(3, Duration.ofHours(9));
        Limiter low = limiters().with(LOW.withBan(ban)).build("k", FixedWindow.of(10, HOUR));
        assertThat(low.on("ann").tryAcquire(8)).isTrue();
        for (int i = 0; i < 9; i++) {
            assertThat(low.tryAcquire("ann")).isFalse();
        }
        awaitIdle();
        assertThat(low.decide("ann").source()).isNotEqualTo(Decision.Source.OVERRIDE);
        assertThat(limiters().build("k", FixedWindow.of(10, HOUR)).on("ann").tryAcquire(2))
                .isTrue();
        Eventually.that(() -> {
            assertThat(low.tryAcquire("ann")).isFalse();
            assertThat(low.decide("ann").source()).isEqualTo(Decision.Source.OVERRIDE);
        });
        assertThat(low.decide("ann").limit()).isEqualTo(8);
        assertThat(low.on("ann").peek().limit()).isEqualTo(8);
    }

    @Test
    void a_limit_that_cannot_leave_permits_is_an_error_with_the_reason() {
        LimiterFactory low = limiters().with(LOW);
        List<Limit> without = List.of(
                TEN_PER_SECOND.withWhoWaits(WhoWaits.NEXT_CALLER), TEN_PER_SECOND.withWarmUp(Duration.ofSeconds(9)));
        for (Limit limit : without) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> low.build("k", limit))
                    .withMessage(
                            "leave works only with a fixed window, a sliding log or counter, and a token or leaky bucket"
                                    + " whose caller waits, limit was " + limit);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> low.build("k", ConcurrencyLimit.of(9)))
                .withMessageStartingWith("leave works only with");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> low.build("k", FixedWindow.of(1, HOUR)))
                .withMessage("leave must be less than the capacity of 1, or nothing could be taken, was 20%");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters()
                        .with(LimiterOptions.NONE.withLeave(Share.permits(10)))
                        .build("k", TEN_PER_SECOND))
                .withMessage("leave must be less than the capacity of 10, or nothing could be taken, was 10");
        Prefetch prefetch = Prefetch.of(Duration.ofMillis(100));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        low.with(LimiterOptions.NONE.withPrefetch(prefetch)).build("k", TEN_PER_SECOND))
                .withMessage(
                        "leave and prefetch exclude each other, because prefetched permits are taken before it is known how"
                                + " many are left: leave one of them out, they were 20% and " + prefetch);
    }
}
