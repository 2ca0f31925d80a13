package io.limiter.redis;

import io.limiter.LimiterFactory;

/** Calls that share nothing, under a decision timeout and a breaker. */
class UnbatchedEngineContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().groupCommit(false).build().withPrefix(redis.prefix());
    }
}
