package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.testing.Eventually;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** A connection factory that this library does not know, and that throws what no other does. */
class UnknownFactoryTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void one_that_does_not_say_whether_it_is_a_cluster_connects_the_limiters() {
        try (RedisRateLimiterFactory factory =
                RedisFixture.builder(failing(Set.of("getClusterConnection"))).build()) {
            RateLimiter limiter =
                    factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", 1, 2, 60);
            assertThat(limiter.decide(1).source()).isEqualTo(Source.BACKEND);
            assertThat(limiter.decide("ann").source()).isEqualTo(Source.BACKEND);
            assertThat(redis.keys()).containsExactlyInAnyOrder(redis.prefix() + "{k}", redis.prefix() + "{ann}{k}");
        }
    }

    @Test
    void one_that_never_connects_is_unavailable_and_the_failure_policy_decides() {
        try (RedisRateLimiterFactory factory = RedisFixture.builder(
                        failing(Set.of("getClusterConnection", "getConnection")))
                .failurePolicy(FailurePolicy.LOCAL)
                .decisionTimeout(Duration.ofMillis(100))
                .build()) {
            RateLimiter limiter = factory.build("k", 1, 2, 60);
            Eventually.that(() -> {
                assertThat(limiter.decide("ann").source()).isEqualTo(Source.LOCAL);
                assertThat(limiter.decide(1).source()).isEqualTo(Source.LOCAL);
                assertThat(factory.backendState().up()).isFalse();
                // On a busy machine, the last decision may not have been sent in time.
                assertThat(factory.backendState().lastFailure())
                        .hasValueSatisfying(
                                failure -> assertThat(failure).hasMessageContaining("this factory is strange"));
            });
        }
    }

    private static RedisConnectionFactory failing(Set<String> methods) {
        RedisConnectionFactory real = RedisFixture.connections();
        return (RedisConnectionFactory) Proxy.newProxyInstance(
                UnknownFactoryTest.class.getClassLoader(),
                new Class<?>[] {RedisConnectionFactory.class},
                (proxy, method, arguments) -> {
                    if (methods.contains(method.getName())) {
                        throw new IllegalArgumentException("this factory is strange");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
