package io.limiter.benchmark.measure;

import io.limiter.FailurePolicy;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.benchmark.subject.RedisClients;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Instances of an application as far as their limiters are concerned: factories in this JVM, each with a connection of its own. */
final class Fleet implements AutoCloseable {

    private static final LimiterOptions PREFETCHING =
            LimiterOptions.NONE.withPrefetch(Prefetch.of(Duration.ofMillis(50)));

    private final RedisClients clients;
    private final List<RedisRateLimiterFactory> instances;

    private Fleet(RedisClients clients, List<RedisRateLimiterFactory> instances) {
        this.clients = clients;
        this.instances = instances;
    }

    /** Returns when all instances are ready. */
    static Fleet open(int size, BenchmarkRedis redis) {
        RedisClients clients = redis.clients();
        // A slow decision is to be measured, not replaced by the failure policy.
        List<RedisRateLimiterFactory> instances = IntStream.range(0, size)
                .mapToObj(i -> RedisRateLimiterFactory.builder(clients.springDataRedis())
                        .decisionTimeout(Duration.ofMinutes(1))
                        .failurePolicy(FailurePolicy.THROW)
                        .build())
                .toList();
        CompletableFuture.allOf(
                        instances.stream().map(RedisRateLimiterFactory::warmUp).toArray(CompletableFuture[]::new))
                .join();
        return new Fleet(clients, instances);
    }

    /** What a permit that an instance has prefetched can be late. */
    static Duration prefetchTime() {
        return PREFETCHING.prefetch().orElseThrow().time();
    }

    /** A limiter of each instance. All of them share their permits. */
    List<RateLimiter.Async> limiters(String name, TokenBucket limit, boolean prefetching) {
        return instances.stream()
                .map(instance -> prefetching ? instance.with(PREFETCHING) : instance)
                .map(instance -> instance.build(name, limit).async())
                .toList();
    }

    /** Commands sent so far by all instances. */
    long commandsSent() {
        return clients.commandsSent();
    }

    @Override
    public void close() {
        instances.forEach(RedisRateLimiterFactory::close);
        clients.close();
    }
}
