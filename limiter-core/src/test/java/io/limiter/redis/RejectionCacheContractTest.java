package io.limiter.redis;

import io.limiter.LimiterFactory;

/** The contract with default settings. */
class RejectionCacheContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().build().withPrefix(redis.prefix());
    }
}
