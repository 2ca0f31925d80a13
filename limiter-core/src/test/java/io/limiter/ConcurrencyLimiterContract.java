package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Sneaky;
import io.limiter.testing.TestClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What every concurrency limiter does, whichever engine decides. Prefetch are 30 s, and nothing renews them on this clock. */
abstract class ConcurrencyLimiterContract {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** A factory on the engine under test, with keys of this test's own. */
    protected abstract LimiterFactory limiters();

    /** The clock of the engine, on which its limiters also wait. */
    protected abstract TestClock clock();

    @Test
    void all_that_is_held_is_in_use_after_the_limit_was_lowered() {
        ConcurrencyLimiter before = limiters().build("lowered", ConcurrencyLimit.of(10));
        ConcurrencyLimiter after = limiters().build("lowered", ConcurrencyLimit.of(3));
        try (Lease five = before.acquire(5, Duration.ZERO);
                Lease two = before.on("key").acquire(2, Duration.ZERO)) {
            assertThat(five.isHeld() && two.isHeld()).isTrue();
            assertThat(after.tryAcquire()).isEmpty();
            assertThat(after.inUse()).isEqualTo(5);
            assertThat(after.on("key").inUse()).isEqualTo(2);
            assertThat(after.peek().limit()).isEqualTo(3);
        }
        assertThat(after.inUse()).isZero();
    }

    @Test
    void so_many_hold_permits_at_the_same_time_and_a_release_makes_room() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(2).withLeaseTime(LEASE));
        Lease first = held(limiter.tryAcquire());
        Lease second = held(limiter.tryAcquire());
        assertThat(limiter.tryAcquire()).isEmpty();
        assertThat(limiter.inUse()).isEqualTo(2);
        first.close();
        assertThat(first.isHeld()).isFalse();
        assertThat(second.isHeld()).isTrue();
        assertThat(limiter.inUse()).isEqualTo(1);
        held(limiter.tryAcquire());
        assertThat(limiter.tryAcquire()).isEmpty();
    }

    @Test
    void closing_twice_gives_back_once() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(2).withLeaseTime(LEASE));
        Lease first = held(limiter.tryAcquire());
        held(limiter.tryAcquire());
        first.close();
        held(limiter.tryAcquire());
        first.close();
        assertThat(first.closeAsync()).isCompleted();
        assertThat(limiter.inUse()).isEqualTo(2);
    }

    @Test
    void whatever_is_thrown_gives_the_permit_back() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(1).withLeaseTime(LEASE));
        for (Throwable thrown : List.of(new OutOfMemoryError("test"), new IllegalStateException("test"))) {
            assertThatThrownBy(() -> {
                        try (Lease held = held(limiter.tryAcquire())) {
                            assertThat(held.isHeld()).isTrue();
                            throw thrown;
                        }
                    })
                    .isSameAs(thrown);
            assertThat(limiter.inUse()).isZero();
        }
    }

    @Test
    void a_permit_comes_back_by_itself_when_its_lease_is_over_and_its_holder_knows() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(1).withLeaseTime(LEASE));
        Lease crashed = held(limiter.tryAcquire());
        clock().advance(LEASE.minusMillis(1));
        assertThat(limiter.tryAcquire()).isEmpty();
        clock().advance(Duration.ofMillis(1));
        assertThat(crashed.isHeld()).isFalse();
        Lease next = held(limiter.tryAcquire());
        crashed.close();
        assertThat(limiter.inUse()).as("a release that comes too late").isEqualTo(1);
        assertThat(next.isHeld()).isTrue();
    }

    @Test
    void each_key_has_permits_of_its_own() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(1).withLeaseTime(LEASE));
        Lease a = held(limiter.tryAcquire("a"));
        assertThat(limiter.tryAcquire("a")).isEmpty();
        held(limiter.tryAcquire("b"));
        held(limiter.tryAcquire());
        a.close();
        held(limiter.tryAcquire("a"));
        assertThat(limiter.on("a").inUse()).isEqualTo(1);
        assertThat(limiter.on("c").inUse()).isZero();
    }

    @Test
    void a_holder_may_count_for_several() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(5).withLeaseTime(LEASE));
        Lease three = held(limiter.tryAcquire(3, Duration.ZERO));
        assertThat(limiter.tryAcquire(3, Duration.ZERO)).isEmpty();
        held(limiter.tryAcquire(2, Duration.ZERO));
        three.close();
        assertThat(limiter.peek()).isEqualTo(new Decision(true, 5, 3, 0, 0, 30_000_000));
        assertThat(limiter.on("a").tryAcquire(6, Duration.ofDays(1)))
                .as("more than there can ever be is not waited for")
                .isEmpty();
    }

    @Test
    void who_waits_gets_the_permit_when_the_lease_is_over() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(1).withLeaseTime(LEASE));
        held(limiter.tryAcquire());
        long start = clock().micros();
        held(limiter.tryAcquire(Duration.ofMinutes(5)));
        assertThat(clock().micros() - start).isEqualTo(30_000_000);
    }

    @Test
    void who_waits_does_so_for_as_long_as_it_said() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(1).withLeaseTime(LEASE));
        held(limiter.tryAcquire("a"));
        long start = clock().micros();
        assertThat(limiter.tryAcquire("a", Duration.ofMillis(2_500))).isEmpty();
        assertThat(clock().micros() - start).isEqualTo(2_500_000);
        assertThatThrownBy(() -> limiter.on("a").acquire(1, SECOND))
                .isInstanceOfSatisfying(RateLimitExceededException.class, rejected -> {
                    assertThat(rejected.key()).isEqualTo("a");
                    assertThat(rejected.decision().retryAfter()).hasValue(Duration.ofMillis(26_500));
                });
        assertThat(clock().micros() - start).isEqualTo(3_500_000);
    }

    @Test
    void async_is_the_same_without_a_thread() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(1).withLeaseTime(LEASE));
        Lease first = limiter.async().acquire(1, Duration.ZERO).join();
        assertThat(limiter.async().tryAcquire().join()).isEmpty();
        assertThat(limiter.async().tryAcquire(SECOND).join()).isEmpty();
        assertThatThrownBy(() -> limiter.async().acquire(1, SECOND).join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(RateLimitExceededException.class);
        first.closeAsync().join();
        Lease second = held(limiter.on("a").async().tryAcquire().join());
        held(limiter.async().tryAcquire().join());
        second.close();
        held(limiter.on("a").async().tryAcquire(SECOND).join());
    }

    @Test
    void acquire_throws_what_try_acquire_returns_empty() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(1).withLeaseTime(LEASE));
        for (ConcurrencyLimiter each : List.of(limiter, limiter.on("x"))) {
            Lease own = each.acquire();
            assertThat(own.isHeld()).isTrue();
            assertThatThrownBy(each::acquire).isInstanceOf(RateLimitExceededException.class);
            assertThatThrownBy(() -> each.acquire(SECOND)).isInstanceOf(RateLimitExceededException.class);
            assertThat(each.acquire("a").isHeld()).isTrue();
            assertThat(each.tryAcquire("a", 1, SECOND)).isEmpty();
            assertThatThrownBy(() -> each.acquire("a", SECOND)).isInstanceOf(RateLimitExceededException.class);
            assertThatThrownBy(() -> each.acquire("a", 1, SECOND)).isInstanceOf(RateLimitExceededException.class);
            held(each.tryAcquire("b", 1, SECOND));
            own.close();
        }
    }

    @Test
    void a_key_is_held_asynchronously_without_its_view() {
        ConcurrencyLimiter.Async limiter = limiters()
                .build("k", ConcurrencyLimit.of(1).withLeaseTime(LEASE))
                .async();
        Lease first = limiter.acquire("a").join();
        assertThat(limiter.tryAcquire("a").join()).isEmpty();
        assertThat(limiter.tryAcquire("a", SECOND).join()).isEmpty();
        assertThat(limiter.tryAcquire("a", 1, SECOND).join()).isEmpty();
        assertThatThrownBy(() -> limiter.acquire("a", SECOND).join())
                .hasCauseInstanceOf(RateLimitExceededException.class);
        first.close();
        Lease second = limiter.acquire("a", 1, SECOND).join();
        assertThat(second.isHeld()).isTrue();
        assertThat(limiter.acquire().join().isHeld()).isTrue();
        assertThatThrownBy(() -> limiter.acquire(SECOND).join()).hasCauseInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void what_is_held_is_read_asynchronously() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(5).withLeaseTime(LEASE));
        limiter.acquire(2, Duration.ZERO);
        limiter.acquire("a");
        assertThat(limiter.async().peek().join()).isEqualTo(limiter.peek());
        assertThat(limiter.async().inUse().join()).isEqualTo(2);
        assertThat(limiter.async().on("a").inUse().join()).isEqualTo(1);
    }

    @Test
    void a_negative_timeout_is_no_wait() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(1).withLeaseTime(LEASE));
        long start = clock().micros();
        Duration negative = Duration.ofNanos(-1);
        Lease held = held(limiter.tryAcquire(negative));
        assertThat(limiter.tryAcquire(Duration.ofSeconds(Long.MIN_VALUE))).isEmpty();
        assertThat(limiter.async().tryAcquire(negative).join()).isEmpty();
        assertThatThrownBy(() -> limiter.acquire(1, negative)).isInstanceOf(RateLimitExceededException.class);
        assertThat(held.isHeld()).isTrue();
        assertThat(clock().micros()).isEqualTo(start);
    }

    @Test
    void threads_never_hold_more_than_there_are() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(3).withLeaseTime(Duration.ofHours(1)));
        AtomicInteger holding = new AtomicInteger();
        AtomicInteger granted = new AtomicInteger();
        Concurrently.run(8, () -> {
            for (int i = 0; i < 20; i++) {
                Optional<Lease> lease = limiter.tryAcquire();
                if (lease.isPresent()) {
                    granted.incrementAndGet();
                    assertThat(holding.incrementAndGet()).isLessThanOrEqualTo(3);
                    holding.decrementAndGet();
                    lease.get().close();
                }
            }
        });
        assertThat(granted).hasPositiveValue();
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void an_action_that_throws_keeps_no_other_holder_from_its_loss() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(3).withLeaseTime(LEASE));
        List<String> lost = new ArrayList<>();
        for (String holder : List.of("a", "b", "c")) {
            Lease lease = held(limiter.tryAcquire());
            assertThatThrownBy(() -> lease.onLost(null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("action");
            lease.onLost(() -> {
                lost.add(holder);
                throw Sneaky.thrown(new IOException("checked, as from code in other languages"));
            });
        }
        limiter.reset();
        assertThat(lost).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void other_numbers_share_the_holders_of_the_name() {
        List<Lease> leases = new ArrayList<>();
        ConcurrencyLimiter three = limiters().build("k", ConcurrencyLimit.of(3).withLeaseTime(LEASE));
        for (int i = 0; i < 3; i++) {
            leases.add(held(three.tryAcquire()));
        }
        ConcurrencyLimiter two = limiters().build("k", ConcurrencyLimit.of(2).withLeaseTime(SECOND));
        leases.get(0).close();
        assertThat(two.tryAcquire()).isEmpty();
        leases.get(1).close();
        held(two.tryAcquire());
        clock().advance(SECOND);
        assertThat(three.inUse()).isEqualTo(1);
    }

    @Test
    void bad_input_is_an_error() {
        ConcurrencyLimiter limiter = limiters().build("k", ConcurrencyLimit.of(2));
        assertThat(limiter.limit()).isEqualTo(ConcurrencyLimit.of(2).withLeaseTime(LEASE));
        assertThat(limiters().build("k", ConcurrencyLimit.of(2))).isSameAs(limiter);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.tryAcquire(0, Duration.ZERO))
                .withMessage("permits must be at least 1, was 0");
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire(" "));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.on(" ").async().tryAcquire());
        assertThatIllegalArgumentException().isThrownBy(() -> limiters().build(" ", ConcurrencyLimit.of(1)));
        Limit<?> any = limiter.limit();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters().build("k", any))
                .withMessageContaining("use build(String, ConcurrencyLimit)");
    }

    private static Lease held(Optional<Lease> lease) {
        assertThat(lease).isPresent();
        assertThat(lease.get().isHeld()).isTrue();
        return lease.get();
    }
}
