package io.limiter.spring.aop;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.key.CallKeys;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Builds the limiters of declared limits, which needs the application's beans. */
final class LimitBinder {

    private final Supplier<LimiterFactory> factory;
    private final CallKeys keys;
    private final ConcurrentHashMap<Name, DeclaredLimit> byName = new ConcurrentHashMap<>();

    LimitBinder(Supplier<LimiterFactory> factory, CallKeys keys) {
        this.factory = factory;
        this.keys = keys;
    }

    /** @throws InvalidLimitException if the limiter cannot be built, or another has the name and other numbers */
    BoundLimit bind(DeclaredLimit declared) {
        LimiterFactory limiters = factory.get();
        try {
            keys.checkAvailable(declared.type());
            checkAgrees(declared);
            Limiter limiter = build(limiters.withPrefix(declared.prefix()), declared);
            return new BoundLimit(declared, limiter);
        } catch (IllegalArgumentException e) {
            throw new InvalidLimitException(declared.where(), String.valueOf(e.getMessage()), e);
        }
    }

    /** Two limits on one bucket would rescale it with every call, and limit by neither. */
    private void checkAgrees(DeclaredLimit declared) {
        DeclaredLimit first = byName.putIfAbsent(new Name(declared.prefix(), declared.name()), declared);
        if (first != null && !numbers(first.limit()).equals(numbers(declared.limit()))) {
            throw new IllegalArgumentException("it shares the name '" + declared.name() + "' with " + first.where()
                    + ", which has other numbers: give both the same, or one another name");
        }
    }

    /** What the stored state depends on. */
    private static Object numbers(Limit<?> limit) {
        return limit instanceof TokenBucket bucket
                ? List.of(bucket.permitsPerSecond(), bucket.burstSeconds(), bucket.maxWait())
                : limit;
    }

    private static Limiter build(LimiterFactory limiters, DeclaredLimit declared) {
        if (declared.limit() instanceof TokenBucket bucket) {
            return limiters.build(declared.name(), bucket);
        }
        return limiters.build(declared.name(), (FixedWindow) declared.limit());
    }

    private record Name(String prefix, String name) {}
}
