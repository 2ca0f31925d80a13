package io.limiter.redis;

import io.limiter.LimiterFactory;

/** Decisions that share calls. */
class GroupCommitContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().rejectionCacheSize(0).build().withPrefix(redis.prefix());
    }
}
