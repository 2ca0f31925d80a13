package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What forgetting a key does, whichever engine decides. */
abstract class ResetContract {

    private static final Duration DAY = Duration.ofDays(1);

    /** A factory on the engine under test, with keys of this test's own. */
    protected abstract LimiterFactory limiters();

    @Test
    void a_key_that_was_reset_is_as_if_it_had_never_been_used_and_others_are_as_they_were() {
        for (Limiter limiter : List.of(
                limiters().build("bucket", TokenBucket.of(2.0 / 86_400, 86_400)),
                limiters().build("window", FixedWindow.of(2, DAY)),
                limiters().build("log", SlidingLog.of(2, DAY)),
                limiters().build("counter", SlidingCounter.of(2, DAY)))) {
            for (String key : List.of("alice", "bob")) {
                assertThat(limiter.tryAcquire(key, 2)).as(limiter.toString()).isTrue();
                assertThat(limiter.tryAcquire(key)).isFalse();
                assertThat(limiter.decide(key, 1).granted()).isFalse();
            }
            limiter.on("alice").reset();
            assertThat(limiter.on("alice").peek().remaining()).isEqualTo(2);
            assertThat(limiter.tryAcquire("alice", 2)).isTrue();
            assertThat(limiter.tryAcquire("alice")).isFalse();
            assertThat(limiter.tryAcquire("bob")).isFalse();
        }
    }

    @Test
    void the_limiters_own_permits_are_reset_apart_from_those_of_its_keys() {
        Limiter limiter = limiters().build("k", FixedWindow.of(1, DAY));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire("alice")).isTrue();
        limiter.reset();
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire("alice")).isFalse();
    }

    @Test
    void what_was_never_used_can_be_reset_and_a_blank_key_cannot() {
        Limiter limiter = limiters().build("k", FixedWindow.of(1, DAY));
        limiter.on("alice").reset();
        limiter.reset();
        assertThat(limiter.tryAcquire("alice")).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.on(" ").reset());
    }

    @Test
    void a_key_is_reset_without_blocking() {
        for (Limiter limiter : List.of(
                limiters().build("bucket", TokenBucket.of(1.0 / 86_400, 86_400)),
                limiters().build("window", FixedWindow.of(1, DAY)))) {
            assertThat(limiter.tryAcquire("alice") && limiter.tryAcquire()).isTrue();
            assertThat(limiter.tryAcquire("alice") || limiter.tryAcquire()).isFalse();
            limiter.async().on("alice").reset().join();
            assertThat(limiter.tryAcquire("alice")).isTrue();
            assertThat(limiter.tryAcquire()).isFalse();
            limiter.async().reset().join();
            assertThat(limiter.tryAcquire()).isTrue();
        }
    }

    @Test
    void leases_of_a_key_that_is_reset_without_blocking_are_lost() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(1).withLeaseTime(Duration.ofMinutes(1)));
        Lease lost = limiter.acquire("alice");
        Lease other = limiter.acquire();
        limiter.async().on("alice").reset().join();
        assertThat(lost.isHeld()).isFalse();
        assertThat(limiter.acquire("alice").isHeld()).isTrue();
        assertThat(other.isHeld()).isTrue();
    }

    @Test
    void holders_that_are_forgotten_make_room_and_have_lost_their_leases() {
        ConcurrencyLimiter limiter =
                limiters().build("k", ConcurrencyLimit.of(1).withLeaseTime(Duration.ofMinutes(1)));
        Lease lost = limiter.tryAcquire("alice").orElseThrow();
        Lease other = limiter.tryAcquire("bob").orElseThrow();
        assertThat(limiter.tryAcquire("alice")).isEmpty();
        limiter.on("alice").reset();
        assertThat(lost.isHeld()).isFalse();
        Lease next = limiter.tryAcquire("alice").orElseThrow();
        lost.close();
        assertThat(limiter.on("alice").inUse())
                .as("the lease that was lost gives nothing back")
                .isEqualTo(1);
        assertThat(next.isHeld()).isTrue();
        assertThat(other.isHeld()).isTrue();
        Lease own = limiter.tryAcquire().orElseThrow();
        limiter.reset();
        assertThat(own.isHeld()).isFalse();
        assertThat(limiter.inUse()).isZero();
    }
}
