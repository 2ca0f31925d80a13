package io.limiter;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Eventually;
import io.limiter.testing.Patience;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Futures that their callers complete at random moments, on every engine: permits are either used or returned. None is
 * refilled and no window ends during the test, so permits are counted exactly.
 */
abstract class GivenUpContract extends LimiterContract {

    private static final int THREADS = 4;
    private static final int FUTURES = 60;
    private static final int CAPACITY = 10_000;
    private static final long SHORTEST_PARK_NANOS = 60_000;
    private static final Duration DAY = Duration.ofDays(1);

    /** A kind of future. */
    private record Kind<T>(Supplier<CompletableFuture<T>> start, T other, Predicate<T> granted) {}

    @AfterEach
    void await_idle() {
        awaitIdle();
    }

    @Test
    void permits_of_unused_decisions_are_returned() {
        Limiter window = limiters().build("w", FixedWindow.of(CAPACITY, DAY));
        check(
                List.of(window),
                List.of(
                        new Kind<>(() -> window.async().decide(1), rejection(), Decision::isGranted),
                        new Kind<>(() -> window.async().decide(1, DAY), rejection(), Decision::isGranted),
                        new Kind<>(() -> window.async().tryAcquire(), false, granted -> granted),
                        new Kind<>(() -> window.async().tryAcquire(1, DAY), false, granted -> granted),
                        new Kind<>(
                                () -> window.async().reserve(1),
                                window.reserve(Integer.MAX_VALUE),
                                Reservation::isGranted)));
    }

    /** A window that counted others' permits as returned, too, would have more of them left. */
    @Test
    void of_permits_that_are_left_as_many_are_returned_as_were_taken() {
        for (int i = 0; i < 20; i++) {
            Limiter window = limiters().build("w" + i, FixedWindow.of(10, DAY));
            assertThat(window.tryAcquire(4)).isTrue();
            CompletableFuture<Long> given = window.async().tryAcquireUpTo(9);
            boolean isReturned = given.cancel(false);
            Eventually.that(() -> assertThat(window.peek().remaining()).isEqualTo(isReturned ? 6 : 0));
        }
    }

    @Test
    void unused_permits_of_a_key_are_returned() {
        RateLimiter bucket = bucket();
        RateLimiter.Async async = bucket.async();
        check(
                List.of(bucket.on("k")),
                List.of(
                        new Kind<>(() -> async.decide("k"), rejection(), Decision::isGranted),
                        new Kind<>(() -> async.on("k").decide(1, DAY), rejection(), Decision::isGranted),
                        new Kind<>(() -> async.tryAcquire("k"), false, granted -> granted),
                        new Kind<>(() -> async.on("k").tryAcquire(DAY), false, granted -> granted),
                        new Kind<>(() -> async.acquire("k"), DAY, waited -> true),
                        new Kind<>(
                                () -> async.on("k").reserve(1),
                                bucket.on("k").reserve(Integer.MAX_VALUE),
                                Reservation::isGranted)));
    }

    @Test
    void unused_permits_of_a_bucket_are_returned() {
        RateLimiter bucket = bucket();
        check(
                List.of(bucket),
                List.of(
                        new Kind<>(() -> bucket.async().decide(1), rejection(), Decision::isGranted),
                        new Kind<>(() -> bucket.async().decide(1, DAY), rejection(), Decision::isGranted),
                        new Kind<>(() -> bucket.async().tryAcquire(), false, granted -> granted),
                        new Kind<>(() -> bucket.async().tryAcquire(1, DAY), false, granted -> granted),
                        new Kind<>(() -> bucket.async().acquire(1), DAY, waited -> true),
                        new Kind<>(
                                () -> bucket.async().reserve(1),
                                bucket.reserve(Integer.MAX_VALUE),
                                Reservation::isGranted)));
    }

    @Test
    void unused_permits_of_sets_are_returned() {
        Limiter window = limiters().build("w", FixedWindow.of(CAPACITY, DAY));
        RateLimiter bucket = bucket();
        LimitSet set = LimitSet.of(bucket, window);
        SetDecision other = set.decide(Integer.MAX_VALUE);
        check(
                List.of(window, bucket),
                List.of(
                        new Kind<>(() -> set.async().decide(1), other, SetDecision::isGranted),
                        new Kind<>(() -> set.async().decide(1, DAY), other, SetDecision::isGranted),
                        new Kind<>(() -> set.async().tryAcquire(), false, granted -> granted),
                        new Kind<>(() -> set.async().tryAcquire(1, DAY), false, granted -> granted),
                        new Kind<>(
                                () -> set.async().reserve(1),
                                set.reserve(Integer.MAX_VALUE),
                                SetReservation::isGranted)));
    }

    @Test
    void unused_leases_are_released() {
        ConcurrencyLimiter limiter = limiters().build("c", ConcurrencyLimit.of(1000));
        List<Lease> leases = new ArrayList<>();
        Predicate<Optional<Lease>> keep = lease -> {
            synchronized (leases) {
                return lease.map(leases::add).orElse(false);
            }
        };
        int granted = giveUpSome(List.of(
                new Kind<>(() -> limiter.async().tryAcquire(), Optional.empty(), keep),
                new Kind<>(() -> limiter.async().tryAcquire(Duration.ofMinutes(1)), Optional.empty(), keep),
                new Kind<>(
                        () -> limiter.async().acquire(1, Duration.ZERO),
                        limiter.acquire(1, Duration.ZERO),
                        lease -> keep.test(Optional.of(lease)))));
        await().alias(Seed.hint())
                .atMost(Patience.DECISION_TIMEOUT)
                .untilAsserted(() -> assertThat(limiter.inUse()).isEqualTo(1 + granted));
        leases.forEach(Lease::close);
        await().alias(Seed.hint())
                .atMost(Patience.DECISION_TIMEOUT)
                .untilAsserted(() -> assertThat(limiter.inUse()).isEqualTo(1));
    }

    private RateLimiter bucket() {
        return limiters().build("b", TokenBucket.perSecond(0.001).withCapacity(CAPACITY));
    }

    private static Decision rejection() {
        return decision(false, 1, 0, 0, 0, 0);
    }

    private void check(List<Limiter> limiters, List<Kind<?>> kinds) {
        int granted = giveUpSome(kinds);
        for (Limiter limiter : limiters) {
            await().alias(Seed.hint() + limiter)
                    .atMost(Patience.DECISION_TIMEOUT)
                    .untilAsserted(() -> assertThat(limiter.peek().remaining()).isEqualTo(CAPACITY - granted));
        }
    }

    /** The number of futures that were granted before they were given up. */
    private int giveUpSome(List<Kind<?>> kinds) {
        AtomicInteger thread = new AtomicInteger();
        AtomicInteger granted = new AtomicInteger();
        // All of them together stay below the capacity, also in a long run.
        int futures = Math.min(FUTURES, steps(FUTURES));
        Concurrently.run(THREADS, () -> {
            Random random = new Random(Seed.VALUE + thread.getAndIncrement());
            for (int i = 0; i < futures * kinds.size(); i++) {
                granted.addAndGet(isGranted(kinds.get(i % kinds.size()), random) ? 1 : 0);
            }
        });
        return granted.get();
    }

    /** Most of it without the processor, which the others need. */
    private static void pause(long nanos) {
        long endNanos = System.nanoTime() + nanos;
        if (nanos > SHORTEST_PARK_NANOS) {
            LockSupport.parkNanos(nanos - SHORTEST_PARK_NANOS);
        }
        while (System.nanoTime() - endNanos < 0) {
            Thread.onSpinWait();
        }
    }

    private static <T> boolean isGranted(Kind<T> kind, Random random) {
        CompletableFuture<T> future = kind.start.get();
        pause(random.nextInt(random.nextBoolean() ? 2_000 : 1_000_000));
        boolean givenUp = switch (random.nextInt(4)) {
            case 0 -> future.cancel(true);
            case 1 -> future.complete(kind.other);
            case 2 -> future.completeExceptionally(new IllegalStateException("unused"));
            default ->
                future.orTimeout(random.nextInt(500), TimeUnit.MICROSECONDS)
                        .handle((result, error) -> error != null)
                        .join();
        };
        return !givenUp && kind.granted.test(future.join());
    }
}
