package io.limiter.redis;

import io.limiter.LimiterFactory;
import org.junit.jupiter.api.Tag;

/** The whole contract over Redisson's own connection factory. */
@Tag("soak")
class LongRedissonConnectionsContractTest extends RedisEngineContract {

    @Override
    protected LimiterFactory build() {
        return redis.overRedisson();
    }
}
