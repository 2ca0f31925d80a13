package io.limiter.redis;

import io.limiter.LimiterFactory;

/** Requests of limiters without prefetch pass through it unchanged. */
class PrefetchContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().build().withPrefix(redis.prefix());
    }
}
