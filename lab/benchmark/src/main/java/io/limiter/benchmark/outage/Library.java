package io.limiter.benchmark.outage;

import io.limiter.LimiterListener;
import io.limiter.benchmark.subject.Allowance;
import io.limiter.benchmark.subject.Peers;
import io.limiter.benchmark.subject.RedisClients;
import io.limiter.benchmark.subject.Subject;
import io.limiter.redis.RedisRateLimiterFactory;
import java.util.function.Function;

/** The libraries whose fleets are compared, each with its default settings and those of its client. */
public enum Library {
    LIMITER("limiter"),
    BUCKET4J("bucket4j"),
    BUCKET4J_BATCHING("bucket4j-batching"),
    REDISSON("redisson"),
    GATEWAY("gateway"),
    GATEWAY_BUCKET4J("gateway-bucket4j");

    private final String title;

    Library(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /**
     * Opens an instance.
     *
     * @param clients its own connections
     * @param name unlike that of any other instance
     * @return opens a limit of the instance
     */
    Function<Allowance, Decider> open(RedisClients clients, String name, Closing opened) {
        return switch (this) {
            case LIMITER -> limiter(clients, name, opened);
            case BUCKET4J -> limit -> of(Peers.bucket4j(clients, limit, ids(limit)), opened);
            case BUCKET4J_BATCHING -> limit -> of(Peers.bucket4jBatching(clients, limit, ids(limit)), opened);
            case REDISSON -> limit -> of(Peers.redisson(clients, limit, ids(limit)), opened);
            case GATEWAY -> limit -> Gateway.redis(clients, limit);
            case GATEWAY_BUCKET4J -> limit -> Gateway.bucket4j(clients, limit);
        };
    }

    private static Function<Allowance, Decider> limiter(RedisClients clients, String name, Closing opened) {
        RedisRateLimiterFactory factory = LimiterInstance.start(clients, name, new LimiterListener() {}, opened);
        return limit -> Decider.of(factory.build("limit-" + limit.permits(), limit.tokenBucket()), "caller");
    }

    private static Decider of(Subject subject, Closing opened) {
        opened.add(subject::close);
        return Decider.of(subject);
    }

    private static String[] ids(Allowance limit) {
        return new String[] {"limit-" + limit.permits()};
    }
}
