package io.limiter.redis;

import io.limiter.LimiterFactory;

class ScriptEngineContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.byScript();
    }
}
