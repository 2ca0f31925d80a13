package io.limiter.redis;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;

/** The contract with one script call for each decision, and a cache of rejections. */
class ScriptBackendContractTest extends RedisEngineContract {

    @Override
    protected LimiterFactory build() {
        return redis.builder().groupCommit(false).build().with(LimiterOptions.NONE.withPrefix(redis.prefix()));
    }
}
