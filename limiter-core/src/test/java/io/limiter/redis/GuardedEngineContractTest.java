package io.limiter.redis;

import io.limiter.LimiterFactory;

/** Calls that share nothing, under a budget and a breaker. */
class GuardedEngineContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().groupCommit(false).build().withPrefix(redis.prefix());
    }
}
