package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.step.Request;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Limits scaled to a share. */
class ScaledTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void windows_have_the_share_in_whole_permits_and_at_least_one() {
        assertThat(FixedWindow.of(10, MINUTE).scaled(0.25)).isEqualTo(FixedWindow.of(2, MINUTE));
        assertThat(FixedWindow.of(10, CalendarPeriod.MINUTE).scaled(0.01))
                .isEqualTo(FixedWindow.of(1, CalendarPeriod.MINUTE));
        assertThat(SlidingLog.of(10, MINUTE).scaled(0.5)).isEqualTo(SlidingLog.of(5, MINUTE));
        assertThat(SlidingCounter.of(10, MINUTE).scaled(0.5)).isEqualTo(SlidingCounter.of(5, MINUTE));
        assertThat(ConcurrencyLimit.of(10).withLeaseTime(MINUTE).scaled(0.1))
                .isEqualTo(ConcurrencyLimit.of(1).withLeaseTime(MINUTE));
    }

    @Test
    void a_bucket_has_the_share_of_its_rate_for_as_many_seconds() {
        assertThat(TokenBucket.of(100, 2).scaled(0.5)).isEqualTo(TokenBucket.of(50, 2));
        assertThat(TokenBucket.of(1, 1).scaled(0.25)).isEqualTo(TokenBucket.of(0.25, 4));
        assertThat(TokenBucket.guava(10, MINUTE).scaled(0.5)).isEqualTo(TokenBucket.guava(5, MINUTE));
    }

    @Test
    void the_slowest_bucket_that_can_be_built_has_shares() {
        TokenBucket slowest = TokenBucket.per(12, Duration.ofDays(1000)).withCapacity(12);
        for (double share : new double[] {0.1, 0.2, 1.0 / 3}) {
            TokenBucket scaled = slowest.scaled(share);
            assertThat(scaled.step(null, 0, Request.take(1, 0)).verdict().isGranted())
                    .isTrue();
        }
    }

    @Test
    void a_share_of_any_limit_grants_one_permit() {
        Random random = Seed.random();
        for (int i = 0; i < 10_000; i++) {
            double rate = Math.pow(10, random.nextDouble() * 15 - 7);
            double burst = Math.max(1.0 / rate, Math.pow(10, random.nextDouble() * 6 - 3));
            TokenBucket bucket = TokenBucket.of(rate, Math.min(burst, 1e12 / rate));
            TokenBucket scaled = bucket.scaled(Math.max(1e-6, random.nextDouble()));
            assertThat(scaled.step(null, 0, Request.take(1, 0)).verdict().isGranted())
                    .as("%s of %s", scaled, bucket)
                    .isTrue();
            assertThat(scaled.permitsPerSecond()).isLessThanOrEqualTo(bucket.permitsPerSecond());
        }
    }

    @Test
    void the_whole_share_is_the_limit_itself() {
        TokenBucket bucket = TokenBucket.of(3, 5);
        assertThat(bucket.scaled(1)).isSameAs(bucket);
    }
}
