package io.limiter.redis;

import io.limiter.LimiterFactory;

/** Of token buckets an instance may prefetch; limits that cannot be prefetched are decided as without it. */
class PrefetchContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().build().withPrefix(redis.prefix());
    }
}
