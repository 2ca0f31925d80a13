package io.limiter.redis;

import io.limiter.LimiterFactory;

/** Limits that do not allow leases are decided as if there were none. */
class PrefetchContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().build().withPrefix(redis.prefix());
    }
}
