package io.limiter.redis;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;

/** The contract without group commit. */
class OwnCallContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().groupCommit(false).build().with(LimiterOptions.NONE.withPrefix(redis.prefix()));
    }
}
