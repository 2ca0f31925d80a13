package io.limiter.redis;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;

/**
 * The contract with batches and a cache of rejections, as by default, and with a failure policy that does not apply while Redis
 * decides. Limiters without prefetch pass through its engine unchanged.
 */
class DefaultSettingsContractTest extends RedisEngineContract {

    @Override
    protected LimiterFactory build() {
        return redis.builder()
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()).withFailurePolicy(FailurePolicy.DENY));
    }
}
