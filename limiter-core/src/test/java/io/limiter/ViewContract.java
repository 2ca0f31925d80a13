package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The laws of views, on every engine. {@link FormsContract} has those of the forms by key. */
abstract class ViewContract extends LimiterContract {

    private static final Duration DAY = Duration.ofDays(1);

    @Test
    void key_and_async_commute() {
        Limiter limiter = limiters().build("k", FixedWindow.of(3, DAY));
        assertThat(limiter.on("a").async().tryAcquire(2).join()).isTrue();
        assertThat(limiter.async().on("a").tryAcquire().join()).isTrue();
        assertThat(limiter.on("a").async().tryAcquire().join()).isFalse();
        assertThat(limiter.async().on("a").decide().join().isGranted()).isFalse();
        RateLimiter rates = limiters().build("r", 1, 2, 60);
        assertThat(rates.on("a").async().acquire(2).join()).isZero();
        assertThat(rates.async().on("a").acquire().join()).isEqualTo(Duration.ofSeconds(1));
        ConcurrencyLimiter leases = limiters().build("c", ConcurrencyLimit.of(1));
        try (Lease lease = leases.on("a").async().acquire(1, Duration.ZERO).join()) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(leases.async().on("a").tryAcquire().join()).isEmpty();
            assertThat(leases.on("a").inUse()).isEqualTo(1);
        }
    }

    @Test
    void limiters_of_one_name_share_permits_in_one_namespace_only() {
        FixedWindow one = FixedWindow.of(1, DAY);
        Limiter own = limiters().build("k", one);
        LimiterFactory shared = limiters().with(LimiterOptions.NONE.withNamespace("shop: 1"));
        Limiter there = shared.build("k", one);
        assertThat(own.tryAcquire("a")).isTrue();
        assertThat(there.tryAcquire("a")).isTrue();
        assertThat(limiters()
                        .with(LimiterOptions.NONE.withNamespace("bank"))
                        .build("k", one)
                        .tryAcquire("a"))
                .isTrue();
        assertThat(limiters()
                        .with(LimiterOptions.NONE.withNamespace("bank"))
                        .build("k", FixedWindow.of(2, DAY))
                        .tryAcquire("a"))
                .isTrue();
        assertThat(limiters()
                        .with(LimiterOptions.NONE.withNamespace("shop: 1"))
                        .build("k", one)
                        .tryAcquire("a"))
                .isFalse();
        assertThat(shared.with(LimiterOptions.NONE.withPlan("p"))
                        .build("k", one)
                        .tryAcquire("a"))
                .isFalse();
        assertThat(shared.with(LimiterOptions.NONE.withNamespace("")).build("k", one))
                .isSameAs(own);
        assertThat(own.tryAcquire("a")).isFalse();
        there.on("a").reset();
        assertThat(there.tryAcquire("a")).isTrue();
        assertThat(own.tryAcquire("a")).isFalse();
        for (String invalid : List.of("n".repeat(101), " ")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiters().with(LimiterOptions.NONE.withNamespace(invalid)))
                    .withMessageStartingWith("namespace must have at most 100 characters and not only spaces");
        }
    }

    @Test
    void options_add_up_and_the_last_one_wins() {
        FixedWindow one = FixedWindow.of(1, DAY);
        // The prefixes are the same on every engine.
        String name = "k-" + UUID.randomUUID();
        LimiterOptions first = LimiterOptions.NONE.withPrefix("a:").withNamespace("n");
        LimiterOptions second = LimiterOptions.NONE.withPrefix("b:").withBan(Ban.after(9));
        assertThat(LimiterOptions.NONE.with(second))
                .isEqualTo(second.with(LimiterOptions.NONE))
                .isEqualTo(second);
        Limiter both = limiters().with(first).with(second).build(name, one);
        assertThat(limiters().with(first.with(second)).build(name, one)).isSameAs(both);
        assertThat(limiters()
                        .with(LimiterOptions.NONE
                                .withNamespace("n")
                                .withPrefix("b:")
                                .withBan(Ban.after(9)))
                        .build(name, one))
                .isSameAs(both);
        assertThat(limiters().with(second).with(first).build(name, one).tryAcquire())
                .isTrue();
        assertThat(limiters().with(LimiterOptions.NONE).build(name, one))
                .isSameAs(limiters().build(name, one));
        assertThat(both.tryAcquire()).isTrue();
        assertThat(both.tryAcquire()).isFalse();
        LimiterFactory view = limiters().with(first);
        view.close();
        assertThat(both.peek().isGranted()).isFalse();
        assertThat(view.build(name + "-other", one).tryAcquire()).isTrue();
    }

    @Test
    void keys_compose_and_stay_distinct() {
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
        assertThat(limiter.keys()).isEmpty();
        assertThat(limiter.on("a").keys()).containsExactly("a");
        assertThat(limiter.on("a").on("b").keys()).containsExactly("a", "b");
        assertThat(limiter.on("a#b").keys()).containsExactly("a#b");
        assertThat(limiter.on("a#b").on("%23%").on("c").keys()).containsExactly("a#b", "%23%", "c");
        ConcurrencyLimiter leases = limiters().build("c", ConcurrencyLimit.of(1));
        try (Lease ofBoth = leases.on("a").on("b").acquire(1, Duration.ZERO);
                Lease ofOne = leases.on("a#b").acquire(1, Duration.ZERO)) {
            assertThat(ofBoth.isHeld() && ofOne.isHeld()).isTrue();
            assertThat(leases.on("a").on("b").tryAcquire()).isEmpty();
        }
    }

    @Test
    void a_view_sets_the_rate_of_its_limiter() {
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
    void without_a_timeout_only_acquire_waits() {
        RateLimiter limiter = limiters().build("k", LeakyBucket.queue(1, 10));
        RateLimiter next = limiters().build("next", TokenBucket.guava(1));
        long start = clock().micros();
        for (RateLimiter each : List.of(limiter, limiter.on("a"), next, next.on("a"))) {
            assertThat(each.tryAcquire()).isTrue();
            assertThat(each.tryAcquire()).isFalse();
            assertThat(each.decide().isGranted()).isFalse();
            assertThat(each.async().decide().join().isGranted()).isFalse();
            assertThat(each.async().tryAcquire().join()).isFalse();
            assertThat(each.peek().isGranted()).isFalse();
            assertThat(LimitSet.of(each).decide().isGranted()).isFalse();
            assertThat(LimitSet.of(each).async().decide().join().isGranted()).isFalse();
            assertThat(each.reserve(1).isGranted()).isFalse();
            Reservation reserved = each.reserve(1, Duration.ofSeconds(1));
            assertThat(reserved.isGranted()).isTrue();
            assertThat(reserved.cancel()).isTrue();
        }
        assertThat(limiter.tryAcquire("b")
                        && !limiter.tryAcquire("b")
                        && !limiter.decide("b").isGranted())
                .isTrue();
        assertThat(clock().micros()).isEqualTo(start);
        assertThat(limiter.acquire()).isEqualTo(Duration.ofSeconds(1));
        assertThat(clock().micros()).isEqualTo(start + 1_000_000);
    }

    @Test
    void a_reservation_is_cancelled_without_blocking_at_most_once() {
        RateLimiter limiter = limiters().build("k", TokenBucket.perSecond(1));
        limiter.acquire();
        Reservation reservation = limiter.on("a").reserve(2, Duration.ofSeconds(1));
        assertThat(reservation.cancelAsync().join()).isTrue();
        assertThat(reservation.cancelAsync().join()).isFalse();
        assertThat(reservation.cancel()).isFalse();
        assertThat(limiter.on("a").peek().remaining()).isEqualTo(1);
        CompletableFuture<Reservation> later = limiter.on("a").async().reserve(1);
        assertThat(later.join().cancel()).isTrue();
        assertThat(later.join().cancelAsync().join()).isFalse();
    }

    @Test
    void a_view_rejects_blank_keys() {
        Limiter view = limiters().build("k", FixedWindow.of(1, DAY)).on("a");
        assertThatIllegalArgumentException().isThrownBy(() -> view.on(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> view.async().on(""));
        assertThatIllegalArgumentException().isThrownBy(() -> view.tryAcquire("\t"));
        assertThatThrownBy(() ->
                        limiters().build("c", ConcurrencyLimit.of(1)).on("a").on(" "))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
