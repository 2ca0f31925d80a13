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

/** What a reset does on every engine. */
abstract class ResetContract extends LimiterContract {

    private static final Duration DAY = Duration.ofDays(1);

    @Test
    void a_key_that_is_reset_is_as_if_never_used_and_others_stay() {
        for (Limiter limiter : List.of(
                limiters().build("bucket", TokenBucket.of(2.0 / 86_400, 86_400)),
                limiters().build("window", FixedWindow.of(2, DAY)),
                limiters().build("log", SlidingLog.of(2, DAY)),
                limiters().build("counter", SlidingCounter.of(2, DAY)))) {
            for (String key : List.of("alice", "bob")) {
                assertThat(limiter.on(key).tryAcquire(2)).as(limiter.toString()).isTrue();
                assertThat(limiter.tryAcquire(key)).isFalse();
                assertThat(limiter.decide(key).isGranted()).isFalse();
            }
            limiter.on("alice").reset();
            assertThat(limiter.on("alice").peek().remaining()).isEqualTo(2);
            assertThat(limiter.on("alice").tryAcquire(2)).isTrue();
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
    void an_unused_key_can_be_reset_and_a_blank_one_cannot() {
        Limiter limiter = limiters().build("k", FixedWindow.of(1, DAY));
        limiter.on("alice").reset();
        limiter.reset();
        assertThat(limiter.tryAcquire("alice")).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.on(" ").reset());
    }

    @Test
    void a_key_is_reset_asynchronously() {
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
    void leases_of_a_key_that_is_reset_asynchronously_are_lost() {
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
    void leases_of_a_key_that_is_reset_are_lost_and_free_their_permits_once() {
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
                .as("a lost lease releases nothing")
                .isEqualTo(1);
        assertThat(next.isHeld()).isTrue();
        assertThat(other.isHeld()).isTrue();
        Lease own = limiter.tryAcquire().orElseThrow();
        limiter.reset();
        assertThat(own.isHeld()).isFalse();
        assertThat(limiter.inUse()).isZero();
    }
}
