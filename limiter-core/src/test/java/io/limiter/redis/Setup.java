package io.limiter.redis;

import java.util.function.Supplier;
import org.redisson.api.RedissonClient;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** How limiters reach Redis: over which client, with or without group commit, by script or under which lock. */
enum Setup {
    LETTUCE,
    LETTUCE_WITHOUT_GROUP_COMMIT,
    JEDIS,
    REDIS_LOCK,
    REDISSON_LOCK;

    boolean isLock() {
        return this == REDIS_LOCK || this == REDISSON_LOCK;
    }

    /**
     * @param connections of this client
     */
    RedisRateLimiterFactory.Builder on(
            RedisRateLimiterFactory.Builder builder,
            RedisConnectionFactory connections,
            Supplier<RedissonClient> redisson) {
        return switch (this) {
            case LETTUCE, JEDIS -> builder;
            case LETTUCE_WITHOUT_GROUP_COMMIT -> builder.groupCommit(false);
            case REDIS_LOCK -> builder.lock(new RedisLock(connections));
            case REDISSON_LOCK -> builder.lock(new RedissonLock(redisson.get()));
        };
    }
}
