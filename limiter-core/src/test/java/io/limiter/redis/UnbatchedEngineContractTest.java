package io.limiter.redis;

import io.limiter.LimiterFactory;

/** The contract without group commit. */
class UnbatchedEngineContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().groupCommit(false).build().withPrefix(redis.prefix());
    }
}
