package io.limiter.spring.aop;

import io.limiter.ConcurrencyLimiter;
import io.limiter.CountLimiter;
import io.limiter.FailurePolicy;
import io.limiter.LimitPart;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.SetDecision;
import io.limiter.algorithm.ConcurrencyLimit;
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
                        case "own", "on" -> part((Limiter) proxy);
                        case "name" -> name;
                        case "limit" -> limit;
                        default -> throw new UnsupportedOperationException(method + " would block");
                    };
                });
    }

    private LimitPart part(Limiter limiter) {
        return (LimitPart) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LimitPart.class}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "limiter" -> limiter;
                        case "permits" -> proxy;
                        case "with" -> set((LimitPart) proxy);
                        case "equals" -> proxy == arguments[0];
                        case "hashCode" -> System.identityHashCode(proxy);
                        default -> throw new UnsupportedOperationException(method.toString());
                    };
                });
    }

    /** Answers for its first part. */
    private LimitSet set(LimitPart first) {
        return (LimitSet) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LimitSet.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("decideAsync")) {
                        throw new UnsupportedOperationException(method + " would block");
                    }
                    return ask(arguments)
                            .thenApply(decision -> new SetDecision(List.of(new SetDecision.OfPart(first, decision))));
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
    public ConcurrencyLimiter build(String name, ConcurrencyLimit limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public LimiterFactory withPrefix(String prefix) {
        return this;
    }

    @Override
    public LimiterFactory withFailurePolicy(FailurePolicy policy) {
        return this;
    }
}
