package io.limiter.redis;

import io.limiter.LimiterFactory;

/** The script alone: a call for each decision. */
class ScriptEngineContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().groupCommit(false).denyCacheSize(0).build().withPrefix(redis.prefix());
    }
}
