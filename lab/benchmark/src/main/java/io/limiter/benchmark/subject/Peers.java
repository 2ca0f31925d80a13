package io.limiter.benchmark.subject;

import static io.limiter.benchmark.subject.RedisClients.argument;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;

/** What this project is compared with: the floor, and other libraries. Each method opens a subject. */
public final class Peers {

    private static final Duration EXPIRY_MARGIN = Duration.ofSeconds(10);

    private Peers() {}

    /** The floor: Lettuce, and a script that reads and writes one key and limits nothing. */
    static Subject raw(RedisClients clients, Allowance allowance, String[] ids) {
        RedisClients.Script script = clients.script("raw.lua");
        byte[] value = new byte[32];
        byte[] lifetimeMillis = argument(60_000 + allowance.period().toMillis());
        return (Subject.Async)
                id -> script.<Long>run(ScriptOutputType.INTEGER, new String[] {ids[id]}, value, lifetimeMillis)
                        .thenApply(reply -> reply == 1);
    }

    /** An equivalent of what Spring Cloud Gateway's {@code RedisRateLimiter} runs in Redis, over Lettuce. */
    static Subject gateway(RedisClients clients, Allowance allowance, String[] ids) {
        RedisClients.Script script = clients.script("gateway.lua");
        // Its rate is in whole tokens a second; so a permit costs as many tokens as the period has seconds.
        long cost = allowance.period().toSeconds();
        byte[][] arguments = {argument(allowance.permits()), argument(allowance.permits() * cost), argument(cost)};
        return (Subject.Async) id -> {
            String start = "request_rate_limiter.{" + ids[id];
            String[] keys = {start + "}.tokens", start + "}.timestamp"};
            return script.<List<Long>>run(ScriptOutputType.MULTI, keys, arguments)
                    .thenApply(reply -> reply.get(0) == 1);
        };
    }

    /** Bucket4j on Lettuce, by compare-and-swap, without batches. */
    public static Subject bucket4j(RedisClients clients, Allowance allowance, String[] ids) {
        ProxyManager<String> manager = bucket4jManager(clients);
        BucketConfiguration configuration = bucket4jConfiguration(allowance);
        ById<BucketProxy> buckets =
                new ById<>(ids.length, id -> manager.builder().build(ids[id], () -> configuration));
        return id -> buckets.get(id).tryConsume(1);
    }

    /** Keys get the lifetime that its manual recommends; by default they have none. */
    private static ProxyManager<String> bucket4jManager(RedisClients clients) {
        return Bucket4jLettuce.casBasedBuilder(clients.lettuce())
                .expirationAfterWrite(ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(EXPIRY_MARGIN))
                .build();
    }

    private static BucketConfiguration bucket4jConfiguration(Allowance allowance) {
        return BucketConfiguration.builder()
                .addLimit(limit ->
                        limit.capacity(allowance.permits()).refillGreedy(allowance.permits(), allowance.period()))
                .build();
    }

    /**
     * The same with batches. Its buckets are kept, one for each id, since batches are made of the calls of one bucket object.
     */
    public static Subject bucket4jBatching(RedisClients clients, Allowance allowance, String[] ids) {
        ProxyManager<String> manager = bucket4jManager(clients);
        BucketConfiguration configuration = bucket4jConfiguration(allowance);
        ById<BucketProxy> buckets = new ById<>(
                ids.length,
                id -> manager.builder()
                        .withOptimization(Optimizations.batching())
                        .build(ids[id], () -> configuration));
        ById<AsyncBucketProxy> asyncBuckets = new ById<>(
                ids.length,
                id -> manager.asAsync()
                        .builder()
                        .withOptimization(Optimizations.batching())
                        .build(ids[id], () -> CompletableFuture.completedFuture(configuration)));
        return new Subject.Async() {
            @Override
            public boolean tryAcquire(int id) {
                return buckets.get(id).tryConsume(1);
            }

            @Override
            public CompletionStage<Boolean> tryAcquireAsync(int id) {
                return asyncBuckets.get(id).tryConsume(1);
            }
        };
    }

    /** Redisson's {@code RRateLimiter}. Its rate is stored with each id, by a call of its own when an id is first used. */
    public static Subject redisson(RedisClients clients, Allowance allowance, String[] ids) {
        RedissonClient redisson = clients.redisson();
        AtomicIntegerArray rateIsSet = new AtomicIntegerArray(ids.length);
        return new Subject.Async() {
            @Override
            public boolean tryAcquire(int id) {
                RRateLimiter limiter = redisson.getRateLimiter(ids[id]);
                if (rateIsSet.get(id) == 0) {
                    limiter.trySetRate(RateType.OVERALL, allowance.permits(), allowance.period());
                    rateIsSet.set(id, 1);
                }
                return limiter.tryAcquire();
            }

            @Override
            public CompletionStage<Boolean> tryAcquireAsync(int id) {
                RRateLimiter limiter = redisson.getRateLimiter(ids[id]);
                if (rateIsSet.get(id) != 0) {
                    return limiter.tryAcquireAsync();
                }
                return limiter.trySetRateAsync(RateType.OVERALL, allowance.permits(), allowance.period())
                        .thenCompose(wasNew -> {
                            rateIsSet.set(id, 1);
                            return limiter.tryAcquireAsync();
                        });
            }
        };
    }

    /** Guava's {@code RateLimiter} in process; it knows no keys, so there is a map of them. */
    static Subject guava(RedisClients clients, Allowance allowance, String[] ids) {
        ConcurrentMap<String, RateLimiter> limitersById = new ConcurrentHashMap<>();
        return id -> {
            RateLimiter limiter = limitersById.get(ids[id]);
            return (limiter != null
                            ? limiter
                            : limitersById.computeIfAbsent(
                                    ids[id], unused -> RateLimiter.create(allowance.permitsPerSecond())))
                    .tryAcquire();
        };
    }

    /** An object for each id, built when it is first used; the first of several threads wins, so that all use the same. */
    private static final class ById<T> {

        private final AtomicReferenceArray<@Nullable T> built;
        private final IntFunction<T> builder;

        ById(int ids, IntFunction<T> builder) {
            this.built = new AtomicReferenceArray<>(ids);
            this.builder = builder;
        }

        T get(int id) {
            T known = built.get(id);
            if (known != null) {
                return known;
            }
            T own = builder.apply(id);
            T other = built.compareAndExchange(id, null, own);
            return other != null ? other : own;
        }
    }
}
