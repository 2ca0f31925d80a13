package io.limiter.redis;

import io.limiter.LimiterFactory;

/** Everything that is on unless switched off. */
class RejectionCacheContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().build().withPrefix(redis.prefix());
    }
}
