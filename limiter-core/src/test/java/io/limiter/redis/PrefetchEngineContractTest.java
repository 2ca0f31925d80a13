package io.limiter.redis;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;

/** Requests of limiters without prefetch pass through it unchanged. */
class PrefetchEngineContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().build().with(LimiterOptions.NONE.withPrefix(redis.prefix()));
    }
}
