package io.limiter.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.FailurePolicy;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.internal.metrics.LimiterMeters;
import io.limiter.spring.internal.metrics.LimiterMetrics;
import io.limiter.testing.TestRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What operators see of the share that an instance decides under alone. */
class FallbackShareTest {

    @ParameterizedTest
    @EnumSource
    void only_the_policy_local_has_a_share(FailurePolicy.Action action) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", TestRedis.closedPort());
        connections.afterPropertiesSet();
        try (RedisRateLimiterFactory limiters = RedisRateLimiterFactory.builder(connections)
                .failurePolicy(FailurePolicy.of(action))
                .build()) {
            MeterRegistry meters = new SimpleMeterRegistry();
            new LimiterMetrics(() -> limiters, () -> null, () -> null, () -> null, 1).bindTo(meters);
            boolean hasShare = action == FailurePolicy.Action.LOCAL;
            assertThat(meters.get(LimiterMeters.SHARE).gauge().value())
                    .isEqualTo(Double.valueOf(hasShare ? 1.0 : Double.NaN));
            assertThat(new LimitLookup(limiters, Stream::empty, false, event -> {}).fallback())
                    .isEqualTo(new LimitersDescription.Fallback(
                            FailurePolicy.of(action).toString(), 1, hasShare ? 1.0 : null));
        } finally {
            connections.destroy();
        }
    }
}
