package io.limiter;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Sneaky;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What concurrency limiters do on every engine. Leases are 30 s long, and nothing renews them on this clock. */
abstract class ConcurrencyLimiterContract extends LimiterContract {

    private static final Duration LEASE = Duration.ofSeconds(30);

    @Test
    void permits_above_a_lowered_limit_are_in_use_until_released() {
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
    void at_most_the_limit_is_held_and_a_release_frees_a_permit() {
        ConcurrencyLimiter limiter = limiter(2);
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
    void a_lease_that_is_closed_twice_is_released_once() {
        ConcurrencyLimiter limiter = limiter(2);
        Lease first = held(limiter.tryAcquire());
        held(limiter.tryAcquire());
        first.close();
        held(limiter.tryAcquire());
        first.close();
        assertThat(first.closeAsync()).isCompleted();
        assertThat(limiter.inUse()).isEqualTo(2);
    }

    @Test
    void a_lease_is_released_whatever_is_thrown() {
        ConcurrencyLimiter limiter = limiter(1);
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
    void an_expired_lease_is_not_held_and_frees_its_permit_once() {
        ConcurrencyLimiter limiter = limiter(1);
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
        ConcurrencyLimiter limiter = limiter(1);
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
    void a_lease_can_hold_several_permits() {
        ConcurrencyLimiter limiter = limiter(5);
        Lease three = held(limiter.tryAcquire(3, Duration.ZERO));
        assertThat(limiter.tryAcquire(3, Duration.ZERO)).isEmpty();
        held(limiter.tryAcquire(2, Duration.ZERO));
        three.close();
        assertThat(limiter.peek()).isEqualTo(decision(true, 5, 3, 0, 0, 30_000_000));
        assertThat(limiter.on("a").tryAcquire(6, Duration.ofDays(1)))
                .as("more than the limit is not waited for")
                .isEmpty();
    }

    @Test
    void a_waiting_caller_gets_the_permit_when_the_lease_expires() {
        ConcurrencyLimiter limiter = limiter(1);
        held(limiter.tryAcquire());
        long start = clock().micros();
        held(limiter.tryAcquire(Duration.ofMinutes(5)));
        assertThat(clock().micros() - start).isEqualTo(30_000_000);
    }

    @Test
    void a_caller_waits_until_its_timeout_and_not_longer() {
        ConcurrencyLimiter limiter = limiter(1);
        held(limiter.tryAcquire("a"));
        long start = clock().micros();
        assertThat(limiter.on("a").tryAcquire(Duration.ofMillis(2_500))).isEmpty();
        assertThat(clock().micros() - start).isEqualTo(2_500_000);
        assertThatThrownBy(() -> limiter.on("a").acquire(1, SECOND))
                .isInstanceOfSatisfying(RateLimitExceededException.class, rejected -> {
                    assertThat(rejected.keys()).containsExactly("a");
                    assertThat(rejected.decision().retryAfter()).hasValue(Duration.ofMillis(26_500));
                });
        assertThat(clock().micros() - start).isEqualTo(3_500_000);
    }

    @Test
    void a_lease_is_released_asynchronously() {
        ConcurrencyLimiter limiter = limiter(1);
        Lease lease = limiter.async().acquire().join();
        assertThat(limiter.async().tryAcquire().join()).isEmpty();
        lease.closeAsync().join();
        held(limiter.async().tryAcquire().join());
    }

    @Test
    void held_permits_are_read_asynchronously() {
        ConcurrencyLimiter limiter = limiter(5);
        limiter.acquire(2, Duration.ZERO);
        limiter.acquire("a");
        assertThat(limiter.async().peek().join()).isEqualTo(limiter.peek());
        assertThat(limiter.async().inUse().join()).isEqualTo(2);
        assertThat(limiter.async().on("a").inUse().join()).isEqualTo(1);
    }

    @Test
    void a_negative_timeout_does_not_wait_for_a_lease() {
        ConcurrencyLimiter limiter = limiter(1);
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
    void threads_never_hold_more_than_the_limit() {
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
    void a_throwing_action_keeps_no_other_holder_from_its_loss() {
        ConcurrencyLimiter limiter = limiter(3);
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
    void limiters_of_one_name_share_its_holders_whatever_their_limits() {
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
    void invalid_permits_keys_and_names_are_errors() {
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
    }

    private ConcurrencyLimiter limiter(int limit) {
        return limiters().build("k", ConcurrencyLimit.of(limit).withLeaseTime(LEASE));
    }

    private static Lease held(Optional<Lease> lease) {
        assertThat(lease).isPresent();
        assertThat(lease.get().isHeld()).isTrue();
        return lease.get();
    }
}
