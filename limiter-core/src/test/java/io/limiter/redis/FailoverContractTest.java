package io.limiter.redis;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;

/** A policy that has nothing to do while Redis decides. */
class FailoverContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().build().withPrefix(redis.prefix()).withFailurePolicy(FailurePolicy.DENY);
    }
}
