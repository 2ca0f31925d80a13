package io.limiter.spring.internal.aop;

import static io.limiter.testing.Expected.decision;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Limiters that decide when the test says so, and never block. */
final class HeldDecisions implements LimiterFactory {

    static final Decision GRANTED = decision(true, 2, 1, 0, 0, 0);
    static final Decision REJECTED = decision(false, 2, 0, 5_000_000, 5_000_000, 9_000_000);

    /** In the order of the requests. */
    final List<CompletableFuture<Decision>> pending = new CopyOnWriteArrayList<>();

    final List<String> keys = new CopyOnWriteArrayList<>();

    @Override
    public Limiter build(String name, Limit limit) {
        return limiter(name, limit, "");
    }

    private Limiter limiter(String name, Limit limit, String key) {
        return proxy(Limiter.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "async" -> async(key);
            case "on" -> limiter(name, limit, (String) arguments[0]);
            case "name" -> name;
            case "limit" -> limit;
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> throw new UnsupportedOperationException(method + " would block");
        });
    }

    private Limiter.Async async(String key) {
        return proxy(Limiter.Async.class, (proxy, method, arguments) -> {
            if (!method.getName().equals("decide")) {
                throw new UnsupportedOperationException(method.toString());
            }
            return decide(key);
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private CompletableFuture<Decision> decide(String key) {
        CompletableFuture<Decision> decision = new CompletableFuture<>();
        pending.add(decision);
        keys.add(key);
        return decision;
    }

    @Override
    public RateLimiter build(String name, TokenBucket limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ConcurrencyLimiter build(String name, ConcurrencyLimit limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public RateLimiter rateLimiter(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Limiter limiter(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ConcurrencyLimiter concurrencyLimiter(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public LimiterFactory with(LimiterOptions options) {
        return this;
    }
}
