package io.limiter;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Ledger;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Reservations, cancellations, refunds and charges of rate limiters, on every engine. */
abstract class ReservationContract extends LimiterContract {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration AHEAD = Duration.ofDays(100);

    @Test
    void refunded_permits_are_granted_again() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        limiter.tryAcquire(10);
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(limiter.refund(4).remaining()).isEqualTo(4);
        assertThat(limiter.tryAcquire(4)).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(limiter.on("key").async().refund(1).join().remaining()).isEqualTo(10);
    }

    @Test
    void refunds_do_not_exceed_the_capacity() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        limiter.tryAcquire(3);
        Concurrently.run(4, () -> {
            for (int i = 1; i <= 25; i++) {
                limiter.refund(i);
            }
        });
        assertThat(limiter.peek().remaining()).isEqualTo(10);
        assertThat(limiter.tryAcquire(10)).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
    }

    @Test
    void later_requests_wait_for_charged_permits() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        assertThat(limiter.charge(4).remaining()).isEqualTo(6);
        assertThat(limiter.charge(11).isGranted()).as("more than remain").isTrue();
        assertThat(limiter.decide(1)).isEqualTo(decision(false, 10, 0, 6_000_000, 6_000_000, 15_000_000));
        clock().advance(seconds(6));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(limiter.on("key").async().charge(3).join().remaining()).isEqualTo(7);
    }

    @Test
    void charges_reserve_no_further_ahead_than_max_wait() {
        RateLimiter limiter = limiters().build("k", TokenBucket.of(1, 10).withMaxWait(seconds(5)));
        limiter.charge(1_000_000);
        clock().advance(seconds(5));
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(SECOND);
        assertThat(limiter.tryAcquire()).isTrue();
    }

    @Test
    void a_reservation_has_a_time_to_wait_and_does_not_wait() {
        RateLimiter limiter = limiters().build("k", 1, 2, 60);
        long start = clock().micros();
        Reservation now = limiter.reserve(2);
        assertThat(limiter.reserve(1).isGranted()).isFalse();
        assertThat(limiter.async().reserve(3).join().isGranted()).isFalse();
        Reservation later = limiter.reserve(1, HOUR);
        Reservation last = limiter.async().reserve(3, HOUR).join();
        assertThat(now.timeToWait()).isZero();
        assertThat(later.timeToWait()).isEqualTo(SECOND);
        assertThat(last.timeToWait()).isEqualTo(seconds(4));
        assertThat(clock().micros()).isEqualTo(start);
        assertThat(limiter.on("key").reserve(1).timeToWait()).isZero();
        Reservation another = limiter.on("key").async().reserve(3, HOUR).join();
        assertThat(another.timeToWait()).isEqualTo(seconds(2));
        assertThat(limiter.on("key").reserve(1, HOUR).timeToWait()).isEqualTo(seconds(3));
        assertThat(List.of(now, later, last, another)).allMatch(Reservation::isGranted);
    }

    /** The idiom of a cost that is known afterwards never looks at the wait. */
    @Test
    void without_a_timeout_no_reservation_is_ahead_of_its_time() {
        RateLimiter limiter = limiters().build("k", TokenBucket.perSecond(1));
        List<Reservation> reserved = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            reserved.add(limiter.on("ann").reserve(1));
            reserved.add(limiter.on("ann").async().reserve(1).join());
            reserved.add(limiter.on("ann").reserve(1));
        }
        assertThat(reserved)
                .filteredOn(Reservation::isGranted)
                .singleElement()
                .satisfies(granted -> assertThat(granted.timeToWait()).isZero());
        assertThat(reserved.get(14).decision().retryAfter()).contains(SECOND);
    }

    @Test
    void a_reservation_beyond_max_wait_is_rejected_and_cannot_be_cancelled() {
        RateLimiter limiter = limiters().build("k", TokenBucket.of(1, 2).withMaxWait(seconds(5)));
        Reservation rejected = limiter.reserve(8, HOUR);
        assertThat(rejected.isGranted()).isFalse();
        assertThat(rejected.timeToWait()).isEqualTo(seconds(6));
        assertThat(rejected.cancel()).isFalse();
        assertThat(limiter.peek().remaining()).isEqualTo(2);
        limiter.tryAcquire(2);
        assertThat(limiter.reserve(8, HOUR).cancel())
                .as("of a bucket that is not full")
                .isFalse();
        assertThat(limiter.peek().remaining()).isZero();
    }

    @Test
    void a_reservation_goes_no_further_ahead_than_its_timeout() {
        RateLimiter limiter = limiters().build("k", 1, 2, 60);
        assertThat(limiter.reserve(3, Duration.ofMillis(999)).isGranted()).isFalse();
        assertThat(limiter.on("key").reserve(3, Duration.ofMillis(999)).isGranted())
                .isFalse();
        assertThat(limiter.async().reserve(3, Duration.ofMillis(999)).join().isGranted())
                .isFalse();
        assertThat(limiter.reserve(3, SECOND).timeToWait()).isEqualTo(SECOND);
        assertThat(limiter.on("key").async().reserve(3, SECOND).join().isGranted())
                .isTrue();
    }

    @Test
    void a_reservation_is_cancelled_once() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        Reservation reservation = limiter.reserve(5);
        limiter.tryAcquire(5);
        assertThat(reservation.cancel()).isTrue();
        assertThat(reservation.cancel()).isFalse();
        assertThat(limiter.peek().remaining()).isEqualTo(5);
    }

    /**
     * Reserves, cancels and waits at random, and in the end cancels whatever is not used. Then the limiter decides as its twin,
     * which never had the cancelled reservations. Where some made in between are used, no more is due than the limit allows.
     * {@code -Dtest.times=200} takes 100,000 steps.
     */
    @Test
    void random_cancellations_restore_all_permits_and_never_exceed_the_limit() {
        Random random = Seed.random();
        int steps = 0;
        for (int episode = 0; steps < steps(500); episode++) {
            int capacity = 1 + random.nextInt(20);
            double rate = random.nextBoolean() ? 10 : 1 + random.nextInt(1000) / 7.0;
            TokenBucket limit = TokenBucket.of(rate, capacity / rate).withMaxWait(AHEAD);
            RateLimiter limiter = limiters().build("k" + episode, limit);
            RateLimiter twin = limiters().build("twin" + episode, limit);
            boolean allCancelled = random.nextInt(3) > 0;
            Ledger ledger = new Ledger();
            Map<Reservation, Ledger.Entry> open = new LinkedHashMap<>();
            List<String> story = new ArrayList<>();
            long fullFrom = Long.MAX_VALUE;
            for (int i = random.nextInt(3); i > 0; i--) {
                long permits = random.nextBoolean() ? capacity : 1 + random.nextInt(capacity);
                due(ledger, limiter.reserve(permits, AHEAD), permits);
                twin.reserve(permits, AHEAD);
                story.add("used " + permits);
            }
            for (int left = 2 + random.nextInt(12); left > 0 || !open.isEmpty(); steps++) {
                if (left > 0 && random.nextInt(3) > 0) {
                    long permits = 1 + random.nextInt(random.nextBoolean() ? 3 : 2 * capacity);
                    Reservation reservation = limiter.reserve(permits, AHEAD);
                    Ledger.Entry entry = due(ledger, reservation, permits);
                    if (allCancelled || random.nextInt(4) > 0) {
                        open.put(reservation, entry);
                        fullFrom = Math.min(
                                fullFrom,
                                clock().micros() + reservation.decision().fullAfterMicros());
                    }
                    left--;
                    story.add(clock().micros() + ": reserved " + permits + ", " + reservation.timeToWait());
                } else if (!open.isEmpty()) {
                    Reservation one = new ArrayList<>(open.keySet()).get(random.nextInt(open.size()));
                    boolean cancelled = random.nextBoolean()
                            ? one.cancel()
                            : one.cancelAsync().join();
                    assertThat(cancelled).isTrue();
                    open.remove(one).cancel();
                    story.add(clock().micros() + ": cancelled " + one);
                }
                if (!open.isEmpty() && random.nextInt(3) == 0) {
                    // Not so long that a reservation can no longer be cancelled.
                    long pause = (long) ((fullFrom - clock().micros()) * random.nextDouble() * 0.4);
                    clock().advance(Duration.of(pause, ChronoUnit.MICROS));
                }
            }
            Reservation next = limiter.reserve(2 * capacity, AHEAD);
            if (allCancelled) {
                assertThat(next.timeToWait()
                                .minus(twin.reserve(2 * capacity, AHEAD).timeToWait()))
                        .as(() -> "not restored by " + limit + ": " + story + " " + Seed.hint())
                        .isBetween(Duration.ofNanos(-4_000), Duration.ofNanos(4_000));
            }
            next.cancel();
            for (int i = 0; i < 2 * capacity; i++) {
                due(ledger, limiter.reserve(1, AHEAD), 1);
            }
            assertThat(ledger.excess(capacity, rate))
                    .as(() -> "beyond the limit of " + limit + ": " + ledger + story + " " + Seed.hint())
                    .isZero();
        }
    }

    private Ledger.Entry due(Ledger ledger, Reservation reservation, long permits) {
        assertThat(reservation.isGranted()).isTrue();
        return ledger.granted(clock().micros() + reservation.decision().waitMicros(), permits);
    }

    @Test
    void a_reservation_is_not_cancelled_once_its_permits_have_been_refilled() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        Reservation reservation = limiter.reserve(5);
        clock().advance(seconds(5));
        limiter.tryAcquire(10);
        assertThat(reservation.cancel()).isFalse();
        assertThat(limiter.tryAcquire()).isFalse();
    }

    @Test
    void invalid_permits_and_keys_are_errors() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.refund(0))
                .withMessage("permits must be at least 1, was 0");
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.on("key").charge(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.reserve(0));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.on(" ").reserve(1));
    }
}
