package io.limiter.benchmark.outage;

import io.limiter.LimiterListener;
import io.limiter.benchmark.subject.RedisClients;
import io.limiter.live.LiveOptions;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.redis.RedisRateLimiterFactory;

/** An instance of this library: a factory with the default settings, which counts the other instances as live limits do by default. */
public final class LimiterInstance {

    private LimiterInstance() {}

    /**
     * Returns when it has reached Redis.
     *
     * @param name unlike that of any other instance
     */
    public static RedisRateLimiterFactory start(
            RedisClients clients, String name, LimiterListener listener, Closing opened) {
        RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(clients.springDataRedis())
                .listener(listener)
                .build();
        opened.add(factory::close);
        factory.warmUp().join();
        RedisLiveLimits.start(factory, LiveOptions.DEFAULT.withInstance(name));
        return factory;
    }
}
