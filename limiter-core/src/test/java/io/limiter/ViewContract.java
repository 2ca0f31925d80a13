package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The laws of views, whichever engine decides. */
abstract class ViewContract {

    private static final Duration DAY = Duration.ofDays(1);

    /** A factory on the engine under test, with keys of this test's own. */
    protected abstract LimiterFactory limiters();

    /** The clock of the engine. */
    protected abstract TestClock clock();

    @Test
    void key_and_async_commute() {
        Limiter limiter = limiters().build("k", FixedWindow.of(3, DAY));
        assertThat(limiter.on("a").async().tryAcquire(2).join()).isTrue();
        assertThat(limiter.async().on("a").tryAcquire().join()).isTrue();
        assertThat(limiter.on("a").async().tryAcquire().join()).isFalse();
        assertThat(limiter.async().on("a").decide().join().granted()).isFalse();
        RateLimiter rates = limiters().build("r", 1, 2, 60);
        assertThat(rates.on("a").async().acquire(2).join()).isZero();
        assertThat(rates.async().on("a").acquire().join()).isEqualTo(Duration.ofSeconds(1));
        ConcurrencyLimiter places = limiters().build("c", ConcurrencyLimit.of(1));
        try (Lease lease = places.on("a").async().acquire(1, Duration.ZERO).join()) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(places.async().on("a").tryAcquire().join()).isEmpty();
            assertThat(places.on("a").inUse()).isEqualTo(1);
        }
    }

    @Test
    void keys_compose_and_no_two_are_mistaken() {
        Limiter limiter = limiters().build("k", FixedWindow.of(1, DAY));
        List<Limiter> apart = List.of(
                limiter,
                limiter.on("a"),
                limiter.on("b"),
                limiter.on("a:b"),
                limiter.on("a#b"),
                limiter.on("a%23b"),
                limiter.on("a").on("b"),
                limiter.on("b").on("a"),
                limiter.on("a").on("b").on("c"),
                limiter.on("a#b").on("c"),
                limiter.on("a").on("b#c"));
        for (Limiter each : apart) {
            assertThat(each.tryAcquire()).as(each.toString()).isTrue();
            assertThat(each.tryAcquire()).as(each.toString()).isFalse();
        }
        assertThat(limiter.key()).isEmpty();
        assertThat(limiter.on("a").key()).hasValue("a");
        assertThat(limiter.on("a").on("b").key()).hasValue("a#b");
        assertThat(limiter.on("a#b").on("c%").key()).hasValue("a%23b#c%25");
        ConcurrencyLimiter places = limiters().build("c", ConcurrencyLimit.of(1));
        try (Lease ofBoth = places.on("a").on("b").acquire(1, Duration.ZERO);
                Lease ofOne = places.on("a#b").acquire(1, Duration.ZERO)) {
            assertThat(ofBoth.isHeld() && ofOne.isHeld()).isTrue();
            assertThat(places.on("a").on("b").tryAcquire()).isEmpty();
        }
    }

    @Test
    void the_short_forms_by_key_are_those_of_the_view() {
        RateLimiter limiter = limiters().build("k", 1, 3, 60);
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.on("a").tryAcquire("b")).isTrue();
        assertThat(limiter.acquire("a")).isZero();
        assertThat(limiter.on("a").acquire("b", 2)).isZero();
        assertThat(limiter.on("a").peek().remaining()).isEqualTo(1);
        assertThat(limiter.on("a").on("b").peek().granted()).isFalse();
        assertThat(limiter.decide("a", 1).remaining()).isZero();
        assertThat(limiter.on("a").decide("b", 1).granted()).isFalse();
        assertThat(limiter.tryAcquire("a", Duration.ofMillis(999))).isFalse();
        assertThat(limiter.tryAcquire("a", Duration.ofSeconds(1))).isTrue();
        assertThat(limiter.on("a").tryAcquire("b", Duration.ZERO)).isTrue();
    }

    @Test
    void permits_of_a_key_are_taken_within_a_timeout_without_its_view() {
        RateLimiter limiter = limiters().build("k", 1, 2, 60);
        Duration second = Duration.ofSeconds(1);
        for (RateLimiter each : List.of(limiter, limiter.on("x"))) {
            assertThat(each.decide("a").remaining()).isEqualTo(1);
            assertThat(each.tryAcquire("a", 3, second)).isFalse();
            assertThat(each.tryAcquire("a", 2, second)).isTrue();
            assertThat(each.decide("a", 2, second).granted()).isFalse();
            assertThat(each.decide("a", 1, second).timeToWait()).isEqualTo(second);
            assertThat(each.on("a").peek().remaining()).isZero();
            assertThat(each.peek().remaining()).as("its own permits").isEqualTo(2);
        }
    }

    @Test
    void permits_of_a_key_are_reserved_without_its_view() {
        RateLimiter limiter = limiters().build("k", 1, 2, 60);
        for (RateLimiter each : List.of(limiter, limiter.on("x"))) {
            assertThat(each.reserve("a").timeToWait()).isZero();
            assertThat(each.reserve("a", 2).timeToWait()).isEqualTo(Duration.ofSeconds(1));
            assertThat(each.reserve("a", 1, Duration.ofSeconds(1)).isGranted()).isFalse();
            Reservation last = each.reserve("a", 1, Duration.ofSeconds(2));
            assertThat(last.timeToWait()).isEqualTo(Duration.ofSeconds(2));
            assertThat(last.cancel()).isTrue();
            assertThat(each.on("a").reserve().timeToWait()).isEqualTo(Duration.ofSeconds(2));
        }
    }

    @Test
    void permits_of_a_key_are_taken_asynchronously_without_its_view() {
        RateLimiter limiter = limiters().build("k", 1, 9, 60);
        for (RateLimiter.Async each : List.of(limiter.async(), limiter.on("x").async())) {
            assertThat(each.tryAcquire("a").join()).isTrue();
            assertThat(each.tryAcquire("a", 2).join()).isTrue();
            assertThat(each.decide("a").join().remaining()).isEqualTo(5);
            assertThat(each.decide("a", 2).join().remaining()).isEqualTo(3);
            assertThat(each.acquire("a").join()).isZero();
            assertThat(each.acquire("a", 2).join()).isZero();
            assertThat(each.tryAcquire("a", Duration.ofMillis(999)).join()).isFalse();
            assertThat(each.tryAcquire("a", 2, Duration.ofSeconds(1)).join()).isFalse();
            assertThat(each.decide("a", 2, Duration.ofSeconds(1)).join().granted())
                    .isFalse();
            assertThat(each.reserve("a").join().timeToWait()).isEqualTo(Duration.ofSeconds(1));
            assertThat(each.reserve("a", 2).join().timeToWait()).isEqualTo(Duration.ofSeconds(3));
            assertThat(each.reserve("a", 1, Duration.ofSeconds(3)).join().isGranted())
                    .isFalse();
            assertThat(each.peek().join().remaining()).as("its own permits").isEqualTo(9);
        }
    }

    @Test
    void a_view_writes_through() {
        RateLimiter limiter = limiters().build("k", TokenBucket.perSecond(10).withCapacity(20));
        RateLimiter view = limiter.on("a").on("b");
        view.setRate(5);
        assertThat(limiter.getRate()).isEqualTo(5);
        limiter.setRate(2);
        assertThat(view.getRate()).isEqualTo(2);
        assertThat(view.limit()).isEqualTo(limiter.limit());
        assertThat(limiters()
                        .build("k", TokenBucket.perSecond(10).withCapacity(20))
                        .on("c")
                        .getRate())
                .isEqualTo(2);
    }

    @Test
    void nothing_waits_without_a_timeout_but_acquire() {
        RateLimiter limiter = limiters().build("k", LeakyBucket.queue(1, 10));
        RateLimiter next = limiters().build("next", TokenBucket.guava(1));
        long start = clock().micros();
        for (RateLimiter each : List.of(limiter, limiter.on("a"), next, next.on("a"))) {
            assertThat(each.tryAcquire()).isTrue();
            assertThat(each.tryAcquire()).isFalse();
            assertThat(each.decide().granted()).isFalse();
            assertThat(each.async().decide().join().granted()).isFalse();
            assertThat(each.async().tryAcquire().join()).isFalse();
            assertThat(each.peek().granted()).isFalse();
            assertThat(LimitSet.of(each).decide().granted()).isFalse();
            assertThat(LimitSet.of(each).async().decide().join().granted()).isFalse();
            Reservation reserved = each.reserve();
            assertThat(reserved.isGranted()).isTrue();
            assertThat(reserved.cancel()).isTrue();
        }
        assertThat(limiter.tryAcquire("b")
                        && !limiter.tryAcquire("b")
                        && !limiter.decide("b", 1).granted())
                .isTrue();
        assertThat(clock().micros()).isEqualTo(start);
        assertThat(limiter.acquire()).isEqualTo(Duration.ofSeconds(1));
        assertThat(clock().micros()).isEqualTo(start + 1_000_000);
    }

    @Test
    void a_reservation_is_cancelled_without_blocking_at_most_once() {
        RateLimiter limiter = limiters().build("k", TokenBucket.perSecond(1));
        limiter.acquire();
        Reservation reservation = limiter.on("a").reserve(2);
        assertThat(reservation.cancelAsync().join()).isTrue();
        assertThat(reservation.cancelAsync().join()).isFalse();
        assertThat(reservation.cancel()).isFalse();
        assertThat(limiter.on("a").peek().remaining()).isEqualTo(1);
        CompletableFuture<Reservation> later = limiter.on("a").async().reserve(1);
        assertThat(later.join().cancel()).isTrue();
        assertThat(later.join().cancelAsync().join()).isFalse();
    }

    @Test
    void a_blank_key_is_no_key_of_a_view_either() {
        Limiter view = limiters().build("k", FixedWindow.of(1, DAY)).on("a");
        assertThatIllegalArgumentException().isThrownBy(() -> view.on(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> view.async().on(""));
        assertThatIllegalArgumentException().isThrownBy(() -> view.tryAcquire("\t"));
        assertThatThrownBy(() ->
                        limiters().build("c", ConcurrencyLimit.of(1)).on("a").on(" "))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
