package io.limiter.benchmark.inprocess;

import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.benchmark.measure.RedisServer;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A whole decision that needs no call to Redis, as callers request it; with several threads by {@code -t}. About one call a
 * second repeats the rejection, and a few prefetch permits.
 */
public class KnownDecisionBenchmark extends InProcessBenchmark {

    private static final String KEY = "198.51.100.7";

    private final RedisServer redis;
    private final LettuceConnectionFactory connections;
    private final RedisRateLimiterFactory limiters;
    private final Limiter closed;
    private final RateLimiter prefetched;

    public KnownDecisionBenchmark() {
        redis = RedisServer.start();
        connections = new LettuceConnectionFactory("127.0.0.1", redis.port());
        connections.afterPropertiesSet();
        connections.start();
        // A slow call is to be measured, not replaced by the failure policy.
        limiters = RedisRateLimiterFactory.builder(connections)
                .decisionTimeout(Duration.ofMinutes(1))
                .failurePolicy(FailurePolicy.THROW)
                .build();
        limiters.warmUp().join();
        closed = limiters.build("closed", FixedWindow.of(1, Duration.ofDays(1)));
        prefetched = limiters.withPrefetch(Duration.ofSeconds(1)).build("prefetched", TokenBucket.of(1e9, 1));
    }

    @TearDown
    public void disconnect() {
        limiters.close();
        connections.destroy();
        redis.close();
    }

    @Benchmark
    public boolean rejected() {
        return closed.tryAcquire(KEY);
    }

    @Benchmark
    public Decision rejectedDecision() {
        return closed.decide(KEY, 1);
    }

    @Benchmark
    public boolean prefetched() {
        return prefetched.tryAcquire(KEY);
    }

    @Benchmark
    public Decision prefetchedDecision() {
        return prefetched.decide(KEY, 1);
    }
}
