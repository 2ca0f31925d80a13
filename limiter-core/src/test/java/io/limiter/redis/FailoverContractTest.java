package io.limiter.redis;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;

/** The contract with a failure policy that does not apply while Redis decides. */
class FailoverContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.builder()
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()).withFailurePolicy(FailurePolicy.DENY));
    }
}
