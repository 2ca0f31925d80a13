package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.LimiterOptions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Durations of a factory, however long. */
class FactoryDurationsTest {

    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void a_decision_timeout_out_of_range_is_rejected_by_its_range() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> RedisFixture.builder(RedisFixture.connections()).decisionTimeout(FOREVER))
                .withMessage("decisionTimeout must be between PT0.001S and PT1H (ISO-8601), was " + FOREVER);
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        RedisFixture.builder(RedisFixture.connections()).decisionTimeout(Duration.ofNanos(999_999)))
                .withMessage("decisionTimeout must be between PT0.001S and PT1H (ISO-8601), was PT0.000999999S");
    }

    @Test
    void a_wait_for_a_lock_may_be_as_long_as_anything() {
        try (RedisRateLimiterFactory factory = RedisFixture.builder(RedisFixture.connections())
                .lock(new RedisLock(RedisFixture.connections()))
                .lockWait(FOREVER)
                .build()) {
            assertThat(factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                            .build("k", 1, 1, 60)
                            .tryAcquire())
                    .isTrue();
        }
    }
}
