package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** The maximum number of keys of the local fallback. */
class MaxLocalKeysTest {

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final JedisConnectionFactory unreachable = resources.jedis(Resources.at(TestRedis.closedPort()));

    @Test
    void keys_above_the_maximum_are_evicted() {
        assertThat(grantedInTwoRounds(20)).isEqualTo(20);
        assertThat(grantedInTwoRounds(4))
                .as("some are forgotten, and granted again")
                .isGreaterThan(20);
    }

    @Test
    void a_maximum_of_zero_is_an_error() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisRateLimiterFactory.builder(unreachable).maxLocalKeys(0))
                .withMessage("maxLocalKeys must be at least 1, was 0");
    }

    /** Each of 20 keys has one permit. */
    private int grantedInTwoRounds(int maxLocalKeys) {
        try (RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(unreachable)
                .failurePolicy(FailurePolicy.LOCAL)
                .decisionTimeout(Duration.ofMillis(5))
                .maxLocalKeys(maxLocalKeys)
                .build()) {
            Limiter limiter = factory.build("k", FixedWindow.of(1, Duration.ofDays(1)));
            int granted = 0;
            for (int i = 0; i < 40; i++) {
                var decision = limiter.decide("key" + i % 20);
                assertThat(decision.source()).isEqualTo(Source.LOCAL);
                granted += decision.isGranted() ? 1 : 0;
            }
            return granted;
        }
    }
}
