package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reservations of every kind of limit and of sets that are cancelled or settled, on every engine. */
abstract class SettlementContract extends LimiterContract {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Each grants ten permits immediately. */
    static List<Limit> ofTen() {
        return List.of(
                TokenBucket.perSecond(1).withCapacity(10),
                LeakyBucket.meter(1, 10),
                FixedWindow.of(10, MINUTE),
                SlidingLog.of(10, MINUTE),
                SlidingCounter.of(10, MINUTE));
    }

    private Limiter build(Limit limit) {
        return limiters().build("k", limit);
    }

    @ParameterizedTest
    @MethodSource("ofTen")
    void a_reservation_of_any_limit_takes_its_permits_and_is_cancelled_once(Limit limit) {
        Limiter limiter = build(limit);
        Reservation reservation = limiter.reserve(6);
        assertThat(reservation.isGranted()).isTrue();
        assertThat(reservation.timeToWait()).isZero();
        assertThat(limiter.tryAcquire(3)).isTrue();
        assertThat(limiter.peek().remaining()).isEqualTo(1);
        assertThat(reservation.cancel()).isTrue();
        assertThat(limiter.peek().remaining()).isEqualTo(7);
        assertThat(reservation.cancel()).isFalse();
        assertThat(reservation.settle(9)).isFalse();
        assertThat(limiter.peek().remaining()).isEqualTo(7);
    }

    @ParameterizedTest
    @MethodSource("ofTen")
    void what_was_too_much_is_returned_exactly_and_once(Limit limit) {
        Limiter limiter = build(limit);
        Reservation reservation = limiter.on("ann").reserve(6);
        assertThat(limiter.on("ann").tryAcquire(3)).isTrue();
        assertThat(reservation.settle(2)).isTrue();
        assertThat(limiter.on("ann").peek().remaining()).isEqualTo(5);
        assertThat(reservation.settle(0)).isFalse();
        assertThat(reservation.cancel()).isFalse();
        assertThat(limiter.on("ann").peek().remaining()).isEqualTo(5);
        Reservation later = limiter.async().on("bob").reserve(6).join();
        assertThat(later.settleAsync(2).join()).isTrue();
        assertThat(later.cancelAsync().join()).isFalse();
        assertThat(limiter.on("bob").peek().remaining()).isEqualTo(8);
    }

    @ParameterizedTest
    @MethodSource("ofTen")
    void what_was_too_little_is_charged_also_as_debt(Limit limit) {
        Limiter limiter = build(limit);
        assertThat(limiter.reserve(2).settle(6)).isTrue();
        assertThat(limiter.peek().remaining()).isEqualTo(4);
        assertThat(limiter.reserve(4).settleAsync(5).join()).isTrue();
        assertThat(limiter.decide().retryAfter().orElseThrow()).isGreaterThan(SECOND);
    }

    @ParameterizedTest
    @MethodSource("ofTen")
    void an_estimate_that_was_right_stays(Limit limit) {
        Limiter limiter = build(limit);
        Reservation reservation = limiter.reserve(4);
        assertThat(reservation.settle(4)).isTrue();
        assertThat(reservation.cancel()).isFalse();
        assertThat(limiter.peek().remaining()).isEqualTo(6);
    }

    @Test
    void the_first_call_counts_even_if_nothing_is_left_to_return() {
        Limiter limiter = build(TokenBucket.perSecond(1).withCapacity(10));
        Reservation reservation = limiter.reserve(6);
        clock().advance(Duration.ofSeconds(7));
        assertThat(reservation.cancel()).isFalse();
        assertThat(reservation.settle(9)).isFalse();
        assertThat(limiter.peek().remaining()).isEqualTo(10);
    }

    @ParameterizedTest
    @MethodSource("ofTen")
    void a_rejected_reservation_settles_nothing(Limit limit) {
        Limiter limiter = build(limit);
        assertThat(limiter.tryAcquire(8)).isTrue();
        Reservation rejected = limiter.reserve(3);
        assertThat(rejected.isGranted()).isFalse();
        assertThat(rejected.settle(5)).isFalse();
        assertThat(rejected.settle(1)).isFalse();
        assertThat(rejected.cancel()).isFalse();
        assertThat(limiter.peek().remaining()).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("ofTen")
    void a_number_below_zero_is_an_error_and_settles_nothing(Limit limit) {
        Reservation reservation = build(limit).reserve(4);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reservation.settle(-1))
                .withMessage("actual must be at least 0, was -1");
        assertThatIllegalArgumentException().isThrownBy(() -> reservation.settleAsync(-1));
        assertThat(reservation.settle(3)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("ofTen")
    void refilled_permits_are_not_returned_and_more_is_charged(Limit limit) {
        Limiter limiter = build(limit);
        Reservation fewer = limiter.reserve(4);
        Reservation more = limiter.reserve(4);
        clock().advance(MINUTE.multipliedBy(2));
        assertThat(limiter.tryAcquire(10)).isTrue();
        assertThat(fewer.settle(1)).isFalse();
        assertThat(limiter.peek().isGranted()).isFalse();
        clock().advance(MINUTE.multipliedBy(2));
        assertThat(more.settle(7)).isTrue();
        assertThat(limiter.peek().remaining()).isEqualTo(7);
    }

    @ParameterizedTest
    @MethodSource("ofTen")
    void of_many_calls_that_settle_a_reservation_one_acts(Limit limit) {
        Limiter limiter = build(limit);
        Reservation reservation = limiter.reserve(6);
        AtomicInteger acted = new AtomicInteger();
        Concurrently.run(4, () -> {
            if (reservation.settle(2)) {
                acted.incrementAndGet();
            }
            if (reservation.cancelAsync().join()) {
                acted.addAndGet(100);
            }
        });
        assertThat(acted.get()).isIn(1, 100);
        assertThat(limiter.peek().remaining()).isEqualTo(acted.get() == 1 ? 8 : 10);
    }

    @ParameterizedTest
    @MethodSource("ofTen")
    void callers_at_the_same_time_never_exceed_the_limit_before_they_settle(Limit limit) {
        Limiter limiter = build(limit);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Concurrently.run(8, () -> {
            for (int i = 0; i < 10; i++) {
                Reservation reservation = limiter.reserve(3);
                if (reservation.isGranted()) {
                    most.accumulateAndGet(running.addAndGet(3), Math::max);
                    running.addAndGet(-3);
                    assertThat(reservation.settle(0)).isTrue();
                }
            }
        });
        assertThat(most.get()).isBetween(3, 9);
        assertThat(limiter.peek().remaining()).isEqualTo(10);
    }

    /** The limiter decides as a twin that took what was used, and no more. Ledgers show the same of callers that reserve ahead. */
    @ParameterizedTest
    @MethodSource("ofTen")
    void settled_reservations_leave_what_was_used(Limit limit) {
        Random random = Seed.random();
        for (int episode = 0; episode < steps(20); episode++) {
            Limiter limiter = limiters().build("k" + episode, limit);
            Limiter twin = limiters().build("twin" + episode, limit);
            int estimated = 0;
            List<Runnable> open = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                int estimate = 1 + random.nextInt(10 - estimated - (4 - i));
                int actual = random.nextInt(estimate + 1);
                Reservation reservation = limiter.reserve(estimate);
                assertThat(reservation.isGranted()).as(Seed.hint()).isTrue();
                if (actual > 0) {
                    twin.tryAcquire(actual);
                }
                estimated += estimate;
                open.add(random.nextInt(open.size() + 1), () -> reservation.settle(actual));
                if (estimated > 5) {
                    break;
                }
            }
            open.forEach(Runnable::run);
            assertThat(limiter.peek().remaining())
                    .as("%s in episode %d, %s", limit, episode, Seed.hint())
                    .isEqualTo(twin.peek().remaining());
        }
    }

    @Test
    void a_debt_of_a_window_ends_with_it() {
        Limiter limiter = build(FixedWindow.of(10, MINUTE));
        assertThat(limiter.reserve(10).settle(1_000)).isTrue();
        clock().advance(MINUTE.minusMillis(1));
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(Duration.ofMillis(1));
        assertThat(limiter.tryAcquire(10)).isTrue();
    }

    @Test
    void permits_of_a_window_that_has_ended_are_not_returned_to_the_next() {
        Limiter limiter = build(FixedWindow.of(10, MINUTE));
        Reservation reservation = limiter.reserve(6);
        clock().advance(MINUTE);
        assertThat(limiter.tryAcquire(10)).isTrue();
        assertThat(reservation.settle(1)).isFalse();
        assertThat(limiter.tryAcquire()).isFalse();
    }

    @Test
    void a_set_settles_each_limit_at_what_was_used() {
        Limiter requests = limiters().build("requests", FixedWindow.of(10, MINUTE));
        RateLimiter tokens =
                limiters().build("tokens", TokenBucket.per(1_000, MINUTE).withCapacity(1_000));
        LimitSet set = LimitSet.of(requests.on("model")).and(tokens.on("model"), 300);
        SetReservation reservation = set.reserve(1);
        assertThat(reservation.isGranted()).isTrue();
        assertThat(reservation.parts()).hasSize(2);
        assertThat(tokens.on("model").peek().remaining()).isEqualTo(700);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reservation.settle(1))
                .withMessage("actual must be one number for each of 2 limits, were 1: [1]");
        assertThatIllegalArgumentException().isThrownBy(() -> reservation.settleAsync(1, -1));
        assertThat(reservation.settle(1, 120)).isTrue();
        assertThat(reservation.settle(1, 100)).isFalse();
        assertThat(reservation.cancel()).isFalse();
        assertThat(requests.on("model").peek().remaining()).isEqualTo(9);
        assertThat(tokens.on("model").peek().remaining()).isEqualTo(880);
        SetReservation more = set.async().reserve(1).join();
        assertThat(more.settleAsync(1, 900).join()).isTrue();
        assertThat(set.tryAcquire()).isFalse();
        assertThat(requests.on("model").peek().remaining()).isEqualTo(8);
    }

    @Test
    void a_set_cancels_what_is_not_settled() {
        Limiter requests = limiters().build("requests", FixedWindow.of(10, MINUTE));
        Limiter rows = limiters().build("rows", SlidingLog.of(100, MINUTE));
        SetReservation reservation = LimitSet.of(requests).and(rows, 50).reserve(1);
        assertThat(reservation.parts().get(1).settle(20)).isTrue();
        assertThat(reservation.cancelAsync().join()).as("not of all limits").isFalse();
        assertThat(requests.peek().remaining()).isEqualTo(10);
        assertThat(rows.peek().remaining()).isEqualTo(80);
        SetReservation whole = LimitSet.of(requests).and(rows, 50).reserve(1);
        assertThat(whole.cancel()).isTrue();
        assertThat(rows.peek().remaining()).isEqualTo(80);
    }

    @Test
    void a_set_that_rejects_has_taken_nothing_that_could_be_returned() {
        Limiter wide = limiters().build("wide", FixedWindow.of(10, MINUTE));
        Limiter narrow = limiters().build("narrow", FixedWindow.of(1, MINUTE));
        assertThat(wide.tryAcquire(4) && narrow.tryAcquire()).isTrue();
        SetReservation rejected = LimitSet.of(wide, narrow).reserve(1);
        assertThat(rejected.isGranted()).isFalse();
        assertThat(rejected.parts()).isEmpty();
        assertThat(rejected.cancel()).isFalse();
        assertThat(rejected.settle(3, 3)).isFalse();
        assertThat(wide.peek().remaining()).isEqualTo(6);
    }

    @Test
    void a_set_reserves_without_waiting() {
        RateLimiter slow = limiters().build("slow", 1, 1, 60);
        LimitSet set = LimitSet.of(slow, limiters().build("w", FixedWindow.of(5, MINUTE)));
        long start = clock().micros();
        assertThat(set.reserve(1).timeToWait()).isZero();
        assertThat(set.reserve(1, Duration.ZERO).isGranted()).isFalse();
        assertThat(set.reserve(1, seconds(5)).timeToWait()).isEqualTo(SECOND);
        assertThat(set.async().reserve(1, seconds(5)).join().timeToWait()).isEqualTo(seconds(2));
        assertThat(clock().micros()).isEqualTo(start);
    }
}
