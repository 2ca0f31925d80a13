package io.limiter.spring.autoconfigure;

import io.limiter.redis.RedisRateLimiterFactory;

/**
 * Changes the builder of the limiter factory, after the settings under {@code limiter} were applied. All beans of this type are
 * called, in their order.
 */
@FunctionalInterface
public interface RedisRateLimiterFactoryCustomizer {

    void customize(RedisRateLimiterFactory.Builder builder);
}
