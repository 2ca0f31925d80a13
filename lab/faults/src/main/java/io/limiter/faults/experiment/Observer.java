package io.limiter.faults.experiment;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.process.Clients;
import io.limiter.faults.process.Endpoint;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Limiters of this JVM, to look at what is in Redis. */
public final class Observer implements AutoCloseable {

    private final LettuceConnectionFactory connections;
    private final RedisRateLimiterFactory limiters;
    private final LiveLimits live;

    public Observer(Endpoint redis) {
        connections = Clients.lettuce(redis);
        // It may be the first call that this JVM makes, on a machine that is busy.
        limiters = RedisRateLimiterFactory.builder(connections)
                .failurePolicy(FailurePolicy.THROW)
                .decisionTimeout(Duration.ofSeconds(30))
                .build();
        live = RedisLiveLimits.start(limiters, LiveOptions.DEFAULT);
    }

    public LimiterFactory limiters() {
        return limiters;
    }

    /** Permits of {@link Limiters#LEASES} that Redis counts as held. */
    long leases() {
        return limiters.build("leased", Limiters.LEASES)
                .on(Limiters.LEASED.key(0))
                .inUse();
    }

    LiveLimits live() {
        return live;
    }

    @Override
    public void close() {
        limiters.close();
        connections.destroy();
    }
}
