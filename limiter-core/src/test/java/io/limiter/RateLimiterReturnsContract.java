package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.LeakyBucket;
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

/** Permits that go back, and permits that are paid for afterwards, whichever engine decides. */
abstract class RateLimiterReturnsContract extends RateLimiterChangesContract {

    @Test
    void what_is_refunded_is_there_again() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        limiter.tryAcquire(10);
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(limiter.refund(4).remaining()).isEqualTo(4);
        assertThat(limiter.tryAcquire(4)).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(limiter.on("who").async().refund(1).join().remaining()).isEqualTo(10);
    }

    @Test
    void refunds_never_lift_a_bucket_above_its_most() {
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
    void what_is_charged_is_paid_by_those_who_come_later() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        assertThat(limiter.charge(4).remaining()).isEqualTo(6);
        assertThat(limiter.charge(11).granted()).as("more than are there").isTrue();
        assertThat(limiter.decide(1)).isEqualTo(new Decision(false, 10, 0, 6_000_000, 6_000_000, 15_000_000));
        clock().advance(Duration.ofSeconds(6));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(limiter.on("who").async().charge(3).join().remaining()).isEqualTo(7);
    }

    @Test
    void nobody_is_charged_further_ahead_than_the_longest_wait() {
        RateLimiter limiter = limiters().build("k", TokenBucket.of(1, 10).withMaxWait(Duration.ofSeconds(5)));
        limiter.charge(1_000_000);
        clock().advance(Duration.ofSeconds(5));
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(Duration.ofSeconds(1));
        assertThat(limiter.tryAcquire()).isTrue();
    }

    @Test
    void a_reservation_says_when_its_permits_may_be_used_and_does_not_wait() {
        RateLimiter limiter = limiters().build("k", 1, 2, 60);
        long start = clock().micros();
        Reservation now = limiter.reserve(2);
        Reservation later = limiter.reserve();
        Reservation last = limiter.async().reserve(3).join();
        assertThat(now.timeToWait()).isZero();
        assertThat(later.timeToWait()).isEqualTo(Duration.ofSeconds(1));
        assertThat(last.timeToWait()).isEqualTo(Duration.ofSeconds(4));
        assertThat(clock().micros()).isEqualTo(start);
        assertThat(limiter.on("who").reserve(1).timeToWait()).isZero();
        Reservation another = limiter.on("who").async().reserve(3).join();
        assertThat(another.timeToWait()).isEqualTo(Duration.ofSeconds(2));
        assertThat(limiter.on("who").reserve(1).timeToWait()).isEqualTo(Duration.ofSeconds(3));
        assertThat(List.of(now, later, last, another)).allMatch(Reservation::isGranted);
    }

    @Test
    void a_reservation_that_would_be_too_far_ahead_is_rejected_and_has_nothing_to_cancel() {
        RateLimiter limiter = limiters().build("k", TokenBucket.of(1, 2).withMaxWait(Duration.ofSeconds(5)));
        Reservation rejected = limiter.reserve(8);
        assertThat(rejected.isGranted()).isFalse();
        assertThat(rejected.timeToWait()).isEqualTo(Duration.ofSeconds(6));
        assertThat(rejected.cancel()).isFalse();
        assertThat(limiter.peek().remaining()).isEqualTo(2);
        limiter.tryAcquire(2);
        assertThat(limiter.reserve(8).cancel())
                .as("of a bucket that is not full")
                .isFalse();
        assertThat(limiter.peek().remaining()).isZero();
    }

    @Test
    void a_reservation_goes_no_further_ahead_than_its_timeout() {
        RateLimiter limiter = limiters().build("k", 1, 2, 60);
        assertThat(limiter.reserve(3, Duration.ofMillis(999)).isGranted()).isFalse();
        assertThat(limiter.on("who").reserve(3, Duration.ofMillis(999)).isGranted())
                .isFalse();
        assertThat(limiter.async().reserve(3, Duration.ofMillis(999)).join().isGranted())
                .isFalse();
        assertThat(limiter.reserve(3, Duration.ofSeconds(1)).timeToWait()).isEqualTo(Duration.ofSeconds(1));
        assertThat(limiter.on("who")
                        .async()
                        .reserve(3, Duration.ofSeconds(1))
                        .join()
                        .isGranted())
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

    @Test
    void reservations_that_are_cancelled_and_made_anew_are_not_due_together() {
        RateLimiter limiter = limiters().build("k", 10, 1, 60);
        Ledger ledger = new Ledger();
        limiter.tryAcquire(10);
        ledger.granted(clock().micros(), 10);
        List<Reservation> reservations = new ArrayList<>();
        List<Ledger.Entry> entries = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            reservations.add(limiter.reserve(10));
            entries.add(due(ledger, reservations.get(i), 10));
        }
        for (int i = 0; i < 19; i++) {
            assertThat(reservations.get(i).cancel()).isTrue();
            entries.get(i).cancel();
            due(ledger, limiter.reserve(10), 10);
        }
        assertThat(ledger.excess(10, 10)).isZero();
    }

    @Test
    void those_who_wait_in_a_queue_and_are_cancelled_leave_no_trace() {
        RateLimiter queue = limiters().build("k", LeakyBucket.queue(10, 100));
        queue.tryAcquire();
        List<Reservation> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(queue.reserve());
        }
        assertThat(queue.reserve().isGranted()).isFalse();
        waiting.forEach(Reservation::cancel);
        assertThat(queue.reserve().timeToWait()).isLessThanOrEqualTo(Duration.ofMillis(100));
    }

    @Test
    void a_large_reservation_blocks_nobody_once_it_is_cancelled() {
        RateLimiter limiter = limiters().build("k", 1, 1, 60);
        Reservation large = limiter.reserve(3000);
        assertThat(large.cancel()).isTrue();
        assertThat(limiter.tryAcquire()).isTrue();
    }

    @Test
    void random_reservations_and_cancellations_never_exceed_the_limit() {
        Random random = Seed.random();
        for (int run = 0; run < 20; run++) {
            int capacity = 1 + random.nextInt(10);
            RateLimiter patient = limiters().build("k" + run, TokenBucket.of(10, capacity / 10.0));
            RateLimiter hasty = limiters()
                    .build("k" + run, TokenBucket.of(10, capacity / 10.0).withMaxWait(SECOND));
            Ledger ledger = new Ledger();
            Map<Reservation, Ledger.Entry> made = new LinkedHashMap<>();
            for (int i = 0; i < 60; i++) {
                RateLimiter limiter = random.nextInt(3) == 0 ? hasty : patient;
                int permits = 1 + random.nextInt(capacity);
                switch (random.nextInt(8)) {
                    case 0 -> clock().advance(Duration.ofMillis(random.nextInt(800)));
                    case 1, 2, 3 -> {
                        List<Reservation> all = new ArrayList<>(made.keySet());
                        if (!all.isEmpty()) {
                            Reservation one = all.get(random.nextInt(all.size()));
                            if (one.cancel()) {
                                made.remove(one).cancel();
                            }
                        }
                    }
                    case 4 -> {
                        if (run % 4 == 0) {
                            limiter.refund(permits);
                            ledger.refunded(permits);
                        }
                    }
                    default -> {
                        Reservation reservation = limiter.reserve(permits, Duration.ofMillis(random.nextInt(4) * 1000));
                        if (reservation.isGranted()) {
                            made.put(reservation, due(ledger, reservation, permits));
                        }
                    }
                }
            }
            assertThat(ledger.excess(capacity, 10))
                    .as(() -> "beyond " + capacity + " of " + ledger + Seed.hint())
                    .isZero();
        }
    }

    /**
     * Reserves, cancels and waits at random, and in the end cancels whatever is not used. Then the limiter decides as its twin,
     * which never heard of the cancelled reservations. Where some made in between are used, no more is due than the limit allows.
     * {@code -Dtest.steps=100000} takes more steps.
     */
    @Test
    void in_a_random_account_cancellations_lose_nothing_and_mint_nothing() {
        Random random = Seed.random();
        int steps = 0;
        for (int episode = 0; steps < Integer.getInteger("test.steps", 1_000); episode++) {
            int capacity = 1 + random.nextInt(20);
            double rate = random.nextBoolean() ? 10 : 1 + random.nextInt(1000) / 7.0;
            TokenBucket limit = TokenBucket.of(rate, capacity / rate).withMaxWait(Duration.ofDays(100));
            RateLimiter limiter = limiters().build("k" + episode, limit);
            RateLimiter twin = limiters().build("twin" + episode, limit);
            boolean allCancelled = random.nextInt(3) > 0;
            Ledger ledger = new Ledger();
            Map<Reservation, Ledger.Entry> open = new LinkedHashMap<>();
            List<String> story = new ArrayList<>();
            long fullFrom = Long.MAX_VALUE;
            for (int i = random.nextInt(3); i > 0; i--) {
                int permits = random.nextBoolean() ? capacity : 1 + random.nextInt(capacity);
                due(ledger, limiter.reserve(permits), permits);
                twin.reserve(permits);
                story.add("used " + permits);
            }
            for (int left = 2 + random.nextInt(12); left > 0 || !open.isEmpty(); steps++) {
                if (left > 0 && random.nextInt(3) > 0) {
                    int permits = 1 + random.nextInt(random.nextBoolean() ? 3 : 2 * capacity);
                    Reservation reservation = limiter.reserve(permits);
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
            Reservation next = limiter.reserve(2 * capacity);
            if (allCancelled) {
                assertThat(next.timeToWait().minus(twin.reserve(2 * capacity).timeToWait()))
                        .as(() -> "lost by " + limit + ": " + story + " " + Seed.hint())
                        .isBetween(Duration.ofNanos(-4_000), Duration.ofNanos(4_000));
            }
            next.cancel();
            for (int i = 0; i < 2 * capacity; i++) {
                due(ledger, limiter.reserve(), 1);
            }
            assertThat(ledger.excess(capacity, rate))
                    .as(() -> "minted by " + limit + ": " + ledger + story + " " + Seed.hint())
                    .isZero();
        }
    }

    private Ledger.Entry due(Ledger ledger, Reservation reservation, int permits) {
        assertThat(reservation.isGranted()).isTrue();
        return ledger.granted(clock().micros() + reservation.decision().waitMicros(), permits);
    }

    @Test
    void a_reservation_is_not_cancelled_when_its_permits_would_be_there_anyway() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        Reservation reservation = limiter.reserve(5);
        clock().advance(Duration.ofSeconds(5));
        limiter.tryAcquire(10);
        assertThat(reservation.cancel()).isFalse();
        assertThat(limiter.tryAcquire()).isFalse();
    }

    @Test
    void bad_numbers_are_told() {
        RateLimiter limiter = limiters().build("k", 1, 10, 60);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.refund(0))
                .withMessage("permits must be at least 1, was 0");
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.on("who").charge(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.reserve(0));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.on(" ").reserve(1));
    }
}
