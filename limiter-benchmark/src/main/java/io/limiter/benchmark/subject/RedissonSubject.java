package io.limiter.benchmark.subject;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;

/** Redisson's {@code RRateLimiter}. Its rate is stored with each id, by a call of its own when an id is first used. */
final class RedissonSubject implements AsyncSubject {

    private final RedissonClient redisson;
    private final Allowance allowance;
    private final String[] ids;
    private final AtomicIntegerArray rateIsSet;

    private RedissonSubject(RedissonClient redisson, Allowance allowance, String[] ids) {
        this.redisson = redisson;
        this.allowance = allowance;
        this.ids = ids;
        this.rateIsSet = new AtomicIntegerArray(ids.length);
    }

    static Subject open(RedisClients clients, Allowance allowance, String[] ids) {
        return new RedissonSubject(clients.redisson(), allowance, ids);
    }

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
        return rateIsSet.get(id) == 0 ? setRateAndAcquire(limiter, id) : limiter.tryAcquireAsync();
    }

    private CompletableFuture<Boolean> setRateAndAcquire(RRateLimiter limiter, int id) {
        return limiter.trySetRateAsync(RateType.OVERALL, allowance.permits(), allowance.period())
                .toCompletableFuture()
                .thenCompose(wasNew -> {
                    rateIsSet.set(id, 1);
                    return limiter.tryAcquireAsync();
                });
    }
}
