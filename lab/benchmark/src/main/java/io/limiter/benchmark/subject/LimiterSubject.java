package io.limiter.benchmark.subject;

import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** This project's limiters: one limiter, and the ids are its keys. */
final class LimiterSubject implements Subject.Async {

    private static final Duration YIELD = Duration.ofMillis(1);
    private static final Prefetch PREFETCH = Prefetch.of(Duration.ofMillis(100));

    private final RateLimiter limiter;
    private final AutoCloseable opened;
    private final String[] ids;

    private LimiterSubject(LimiterFactory factory, AutoCloseable opened, TokenBucket limit, String[] ids) {
        this.limiter = factory.build("api", limit);
        this.opened = opened;
        this.ids = ids;
    }

    /** As it comes. */
    static Subject standard(RedisClients clients, Allowance allowance, String[] ids) {
        return redis(builder(clients), allowance, ids);
    }

    /** Waiting threads yield before they park. */
    static Subject yielding(RedisClients clients, Allowance allowance, String[] ids) {
        return redis(builder(clients).yieldWhileWaiting(YIELD), allowance, ids);
    }

    static Subject prefetching(RedisClients clients, Allowance allowance, String[] ids) {
        RedisRateLimiterFactory factory = builder(clients).build();
        return new LimiterSubject(
                factory.with(LimiterOptions.NONE.withPrefetch(PREFETCH)), factory, allowance.tokenBucket(), ids);
    }

    static Subject local(RedisClients clients, Allowance allowance, String[] ids) {
        return new LimiterSubject(new LocalLimiterFactory(), () -> {}, allowance.tokenBucket(), ids);
    }

    private static RedisRateLimiterFactory.Builder builder(RedisClients clients) {
        // A slow decision is to be measured, not replaced by the failure policy.
        return RedisRateLimiterFactory.builder(clients.springDataRedis())
                .decisionTimeout(Duration.ofMinutes(1))
                .failurePolicy(FailurePolicy.THROW);
    }

    private static Subject redis(RedisRateLimiterFactory.Builder builder, Allowance allowance, String[] ids) {
        RedisRateLimiterFactory factory = builder.build();
        return new LimiterSubject(factory, factory, allowance.tokenBucket(), ids);
    }

    @Override
    public boolean tryAcquire(int id) {
        return limiter.tryAcquire(ids[id]);
    }

    @Override
    public CompletableFuture<Boolean> tryAcquireAsync(int id) {
        return limiter.on(ids[id]).async().decide().thenApply(Decision::isGranted);
    }

    @Override
    public void close() {
        try {
            opened.close();
        } catch (Exception e) {
            throw new IllegalStateException("the limiter could not be closed", e);
        }
    }
}
