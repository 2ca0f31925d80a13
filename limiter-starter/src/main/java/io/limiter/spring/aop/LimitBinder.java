package io.limiter.spring.aop;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.key.CallKeys;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Builds the limiters of declared limits, which needs the application's beans. */
final class LimitBinder {

    private final Supplier<LimiterFactory> factory;
    private final CallKeys keys;
    private final ApplicationBeans beans;
    private final ConcurrentHashMap<Name, DeclaredLimit> byName = new ConcurrentHashMap<>();

    LimitBinder(Supplier<LimiterFactory> factory, CallKeys keys, ApplicationBeans beans) {
        this.factory = factory;
        this.keys = keys;
        this.beans = beans;
    }

    /** @throws InvalidLimitException if the limiter cannot be built, or another has the name and other numbers */
    BoundLimit bind(DeclaredLimit declared) {
        LimiterFactory limiters = factory.get();
        try {
            keys.checkAvailable(declared.type());
            checkAgrees(declared);
            LimiterFactory prefixed = limiters.withPrefix(declared.prefix());
            Limiter limiter = prefixed.build(declared.name(), declared.limit());
            return new BoundLimit(declared, limiter, resolved(declared, prefixed));
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
        if (first != null && (first.slot() == null) != (declared.slot() == null)) {
            throw new IllegalArgumentException("it shares the name '" + declared.name() + "' with " + first.where()
                    + ", and one of them has a slot, where permits are others: give both a slot, or none");
        }
    }

    /** What the stored state depends on. */
    private static Object numbers(Limit<?> limit) {
        return limit instanceof TokenBucket bucket
                ? List.of(bucket.permitsPerSecond(), bucket.burstSeconds(), bucket.maxWait())
                : limit;
    }

    private @Nullable ResolvedLimiters resolved(DeclaredLimit declared, LimiterFactory prefixed) {
        String resolver = declared.resolver();
        return resolver.isEmpty() ? null : new ResolvedLimiters(declared, beans.resolver(resolver), prefixed);
    }

    private record Name(String prefix, String name) {}
}
