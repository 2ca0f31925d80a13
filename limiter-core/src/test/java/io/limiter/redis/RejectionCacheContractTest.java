package io.limiter.redis;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;

/** The contract with default settings. */
class RejectionCacheContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().build().with(LimiterOptions.NONE.withPrefix(redis.prefix()));
    }
}
