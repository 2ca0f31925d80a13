package io.limiter.spring.aop;

import io.limiter.CountLimiter;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Limiters that decide when the test says so, and never block. */
final class HeldDecisions implements LimiterFactory {

    static final Decision GRANTED = new Decision(true, 2, 1, 0, 0, 0);
    static final Decision REFUSED = new Decision(false, 2, 0, 5_000_000, 5_000_000, 9_000_000);

    /** In the order in which they were asked for. */
    final List<CompletableFuture<Decision>> asked = new CopyOnWriteArrayList<>();

    final List<String> keys = new CopyOnWriteArrayList<>();

    @Override
    public Limiter build(String name, Limit<?> limit) {
        return (Limiter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Limiter.class}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "decideAsync" -> ask(arguments);
                        case "name" -> name;
                        case "limit" -> limit;
                        default -> throw new UnsupportedOperationException(method + " would block");
                    };
                });
    }

    private CompletableFuture<Decision> ask(Object[] arguments) {
        CompletableFuture<Decision> decision = new CompletableFuture<>();
        asked.add(decision);
        keys.add(arguments.length == 2 ? String.valueOf(arguments[0]) : "");
        return decision;
    }

    @Override
    public RateLimiter build(String name, TokenBucket limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CountLimiter build(String name, FixedWindow limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public LimiterFactory withPrefix(String prefix) {
        return this;
    }
}
