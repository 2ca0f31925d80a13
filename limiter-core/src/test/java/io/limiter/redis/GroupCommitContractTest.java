package io.limiter.redis;

import io.limiter.LimiterFactory;

/** The contract with group commit and no rejection cache. */
class GroupCommitContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.withoutRejectionCache();
    }
}
