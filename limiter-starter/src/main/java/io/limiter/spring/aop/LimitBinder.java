package io.limiter.spring.aop;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.aop.result.ResultKind;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Builds the limiters of declared limits, which needs the application's beans. */
final class LimitBinder {

    private final Supplier<LimiterFactory> factory;
    private final ApplicationBeans beans;
    private final Map<Name, DeclaredLimit> byName = new ConcurrentHashMap<>();

    LimitBinder(Supplier<LimiterFactory> factory, ApplicationBeans beans) {
        this.factory = factory;
        this.beans = beans;
    }

    /** @throws InvalidLimitException if a limiter cannot be built, or the limits cannot work in this application */
    MethodLimits bind(Method method, Class<?> beanClass, List<DeclaredLimit> declared) {
        ResultKind kind = ResultKind.of(method);
        if (kind == ResultKind.PLAIN) {
            EventLoops.checkHandlerMayWait(declared.get(0).where(), method, beanClass, beans);
        }
        if (kind != ResultKind.PUBLISHER) {
            declared.stream()
                    .filter(DeclaredLimit::isChargedByStatus)
                    .forEach(limit -> EventLoops.checkKnowsResponse(limit.where(), beans));
        }
        boolean several = declared.stream().filter(limit -> !limit.isHeld()).count() > 1;
        return new MethodLimits(
                kind,
                ResultKind.adapter(method),
                declared.stream().map(limit -> bind(limit, several)).toList(),
                beans);
    }

    private MethodLimit bind(DeclaredLimit declared, boolean several) {
        LimiterFactory limiters = factory.get();
        try {
            declared.checkAvailable();
            checkAgrees(declared);
            return new MethodLimit(declared, several, limiters, beans);
        } catch (IllegalArgumentException e) {
            throw new InvalidLimitException(declared.where(), String.valueOf(e.getMessage()), e);
        }
    }

    /** Two different limits on one bucket would rescale it with every call, and neither would hold. */
    private void checkAgrees(DeclaredLimit declared) {
        String name = declared.name().name();
        DeclaredLimit first = byName.putIfAbsent(new Name(declared.name().prefix(), name, declared.isHeld()), declared);
        if (first != null && !state(first.limit()).equals(state(declared.limit()))) {
            throw new IllegalArgumentException("it shares the name '" + name + "' with " + first.where()
                    + ", which is " + first.limit() + ", and this is " + declared.limit()
                    + ": give both the same limit, or one of them another name");
        }
    }

    /** The part of a limit that its stored state depends on. */
    private static Object state(AnyLimit limit) {
        return limit instanceof TokenBucket bucket
                ? List.of(bucket.kind(), bucket.permitsPerSecond(), bucket.maxPermits(), bucket.maxWait())
                : limit;
    }

    /** Held and spent permits are stored apart. */
    private record Name(String prefix, String name, boolean held) {}
}
