package io.limiter.sample;

import io.limiter.live.LiveOptions;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.redis.RedisRateLimiterFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.stereotype.Component;

/** Two instances in one application: the second is a factory of its own, and shares nothing but Redis with the first. */
@Component
class Instances implements SmartLifecycle {

    private final RedisRateLimiterFactory first;
    private final RedisRateLimiterFactory second;
    private volatile boolean running;

    Instances(
            RedisRateLimiterFactory first,
            RedisConnectionFactory connections,
            @Value("${spring.application.name}") String application) {
        this.first = first;
        this.second = RedisRateLimiterFactory.builder(connections)
                .namespace(application)
                .build();
        RedisLiveLimits.start(second, LiveOptions.DEFAULT.withShowKeys(true).withInstance("second-instance"));
    }

    RedisRateLimiterFactory first() {
        return first;
    }

    RedisRateLimiterFactory second() {
        return second;
    }

    @Override
    public void start() {
        running = true;
    }

    /** Before the connections end, and after those who call the limiters. */
    @Override
    public void stop() {
        running = false;
        second.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
