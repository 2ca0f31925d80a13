package io.limiter.benchmark.subject;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.DelayParameters;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Bucket4j on Lettuce, by compare-and-swap. Its buckets are kept, one for each id, since its optimizations work between
 * the callers of one bucket object. Keys get the lifetime that its manual recommends; by default they have none.
 */
final class Bucket4jSubject implements AsyncSubject {

    private static final Duration EXPIRY_MARGIN = Duration.ofSeconds(10);
    private static final Duration MAX_DELAY = Duration.ofMillis(100);

    private final ProxyManager<String> manager;
    private final BucketConfiguration configuration;
    private final @Nullable Optimization optimization;
    private final String[] ids;
    private final AtomicReferenceArray<@Nullable BucketProxy> buckets;
    private final AtomicReferenceArray<@Nullable AsyncBucketProxy> asyncBuckets;

    private Bucket4jSubject(
            RedisClients clients, Allowance allowance, String[] ids, @Nullable Optimization optimization) {
        this.manager = Bucket4jLettuce.casBasedBuilder(clients.lettuce())
                .expirationAfterWrite(ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(EXPIRY_MARGIN))
                .build();
        this.configuration = BucketConfiguration.builder()
                .addLimit(limit ->
                        limit.capacity(allowance.permits()).refillGreedy(allowance.permits(), allowance.period()))
                .build();
        this.optimization = optimization;
        this.ids = ids;
        this.buckets = new AtomicReferenceArray<>(ids.length);
        this.asyncBuckets = new AtomicReferenceArray<>(ids.length);
    }

    static Subject plain(RedisClients clients, Allowance allowance, String[] ids) {
        return new Bucket4jSubject(clients, allowance, ids, null);
    }

    static Subject batching(RedisClients clients, Allowance allowance, String[] ids) {
        return new Bucket4jSubject(clients, allowance, ids, Optimizations.batching());
    }

    /** Tells Redis of a tenth of the permits at once, or of fewer after 100 ms. */
    static Subject delaying(RedisClients clients, Allowance allowance, String[] ids) {
        long maxUnsynchronized = Math.max(1, allowance.permits() / 10);
        return new Bucket4jSubject(
                clients, allowance, ids, Optimizations.delaying(new DelayParameters(maxUnsynchronized, MAX_DELAY)));
    }

    @Override
    public boolean tryAcquire(int id) {
        BucketProxy bucket = buckets.get(id);
        return (bucket != null ? bucket : newBucket(id)).tryConsume(1);
    }

    @Override
    public CompletionStage<Boolean> tryAcquireAsync(int id) {
        AsyncBucketProxy bucket = asyncBuckets.get(id);
        return (bucket != null ? bucket : newAsyncBucket(id)).tryConsume(1);
    }

    /** The first of several threads wins, so that all use the same object. */
    private BucketProxy newBucket(int id) {
        var builder = manager.builder();
        BucketProxy made = (optimization != null ? builder.withOptimization(optimization) : builder)
                .build(ids[id], () -> configuration);
        BucketProxy other = buckets.compareAndExchange(id, null, made);
        return other != null ? other : made;
    }

    private AsyncBucketProxy newAsyncBucket(int id) {
        var builder = manager.asAsync().builder();
        AsyncBucketProxy made = (optimization != null ? builder.withOptimization(optimization) : builder)
                .build(ids[id], () -> CompletableFuture.completedFuture(configuration));
        AsyncBucketProxy other = asyncBuckets.compareAndExchange(id, null, made);
        return other != null ? other : made;
    }
}
