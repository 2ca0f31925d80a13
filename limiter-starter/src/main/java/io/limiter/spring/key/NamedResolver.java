package io.limiter.spring.key;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.Limit;
import java.util.function.Supplier;

/**
 * The resolver of a limit.
 *
 * @param where the limit, for messages
 * @param name of the bean
 */
public record NamedResolver(String where, String name, Supplier<LimitResolver> bean) {

    /**
     * The limiter of one call.
     *
     * @param own that of the declared limit
     * @param others builds those of other limits
     * @throws IllegalStateException if the resolved limit is of a kind that cannot read what the declared one stored
     */
    public Limiter limiter(LimitedCall call, Limiter own, LimiterFactory others) {
        Limit<?> resolved = bean.get().resolve(call);
        Class<?> kind = call.declared().getClass();
        if (resolved != null && resolved.getClass() != kind) {
            throw new IllegalStateException(where + ": resolver '" + name + "' must return a " + kind.getSimpleName()
                    + ", as the one declared, or null; it was " + resolved);
        }
        return resolved == null ? own : others.build(call.name(), resolved);
    }
}
