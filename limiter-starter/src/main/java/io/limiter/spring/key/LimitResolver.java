package io.limiter.spring.key;

import io.limiter.algorithm.Limit;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the limit of each call: for example by the contract of a tenant or the time of day. An annotation names the bean with
 * {@link io.limiter.spring.annotation.RateLimit#resolver()}, a rule with {@code limiter.http.<name>.resolver}.
 *
 * <p>It chooses the limit and not the key: permits are those of the declared limit's name and of the key of the call. A
 * tenant that changes its contract keeps its permits and its debt, rescaled to the new limit (see
 * {@link io.limiter.algorithm.TokenBucket}); a window keeps its count. So all calls of one key should be under one limit
 * at a time: under two, each call rescales the state that the other left.
 *
 * <p>Called in the thread of the call, once for each, so it must be fast and safe for use by many threads. The
 * {@link io.limiter.LimiterFactory} keeps limiters, so an equal limit costs a look-up.
 */
@FunctionalInterface
public interface LimitResolver {

    /**
     * The limit of one call, of the same kind as the declared one, or {@code null} for the declared one. What this
     * throws goes to the caller, and no permits are taken. In shadow mode it is logged, and the call proceeds.
     */
    @Nullable
    Limit<?> resolve(LimitedCall call);
}
