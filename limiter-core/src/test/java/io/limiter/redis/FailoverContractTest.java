package io.limiter.redis;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;

/** The contract with a failure policy that does not apply while Redis decides. */
class FailoverContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder().build().withPrefix(redis.prefix()).withFailurePolicy(FailurePolicy.DENY);
    }
}
