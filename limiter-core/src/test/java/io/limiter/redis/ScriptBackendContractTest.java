package io.limiter.redis;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;

/** The contract with one script call for each decision. */
class ScriptBackendContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder()
                .groupCommit(false)
                .rejectionCacheSize(0)
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()));
    }
}
