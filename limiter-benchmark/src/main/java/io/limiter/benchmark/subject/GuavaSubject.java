package io.limiter.benchmark.subject;

import com.google.common.util.concurrent.RateLimiter;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Guava's {@code RateLimiter} in process; it knows no keys, so there is a map of them. */
final class GuavaSubject implements Subject {

    private final ConcurrentMap<String, RateLimiter> limitersById = new ConcurrentHashMap<>();
    private final double permitsPerSecond;
    private final String[] ids;

    private GuavaSubject(double permitsPerSecond, String[] ids) {
        this.permitsPerSecond = permitsPerSecond;
        this.ids = ids;
    }

    static Subject open(RedisClients clients, Allowance allowance, String[] ids) {
        return new GuavaSubject(allowance.permitsPerSecond(), ids);
    }

    @Override
    public boolean tryAcquire(int id) {
        RateLimiter limiter = limitersById.get(ids[id]);
        return (limiter != null ? limiter : newLimiter(ids[id])).tryAcquire();
    }

    private RateLimiter newLimiter(String id) {
        return limitersById.computeIfAbsent(id, i -> RateLimiter.create(permitsPerSecond));
    }
}
