package io.limiter.spring.aop;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.key.spel.CallKeys;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Builds the limiters of declared limits, which needs the application's beans.
 *
 * @param <D> what is declared
 * @param <B> the same with its limiter
 */
final class LimitBinder<D extends Declared, B> {

    private final Supplier<LimiterFactory> factory;
    private final CallKeys keys;
    private final BiFunction<LimiterFactory, D, B> builder;
    private final ConcurrentHashMap<Name, D> byName = new ConcurrentHashMap<>();

    /** @param builder is given a factory with the limit's prefix */
    LimitBinder(Supplier<LimiterFactory> factory, CallKeys keys, BiFunction<LimiterFactory, D, B> builder) {
        this.factory = factory;
        this.keys = keys;
        this.builder = builder;
    }

    /** @throws InvalidLimitException if the limiter cannot be built, or another has the name and other numbers */
    B bind(D declared) {
        LimiterFactory limiters = factory.get();
        try {
            keys.checkAvailable(declared.type());
            checkAgrees(declared);
            return builder.apply(
                    FailurePolicies.apply(declared.failurePolicy(), limiters.withPrefix(declared.prefix())), declared);
        } catch (IllegalArgumentException e) {
            throw new InvalidLimitException(declared.where(), String.valueOf(e.getMessage()), e);
        }
    }

    /** Two limits on one bucket would rescale it with every call, and limit by neither. */
    private void checkAgrees(D declared) {
        D first = byName.putIfAbsent(new Name(declared.prefix(), declared.name()), declared);
        if (first != null && !numbers(first.limit()).equals(numbers(declared.limit()))) {
            throw new IllegalArgumentException("it shares the name '" + declared.name() + "' with " + first.where()
                    + ", which has other numbers: give both the same, or one another name");
        }
        if (first != null && first.inSlots() != declared.inSlots()) {
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

    private record Name(String prefix, String name) {}
}
