package io.limiter.spring.aop;

import io.limiter.algorithm.Limit;
import org.jspecify.annotations.Nullable;

/**
 * Says which limit a call is under where that is known only then: by the tenant's plan, the weekday, a header. A bean of
 * this type is named by {@link io.limiter.spring.annotation.RateLimit#resolver()}.
 *
 * <p>The limit has the declared one's name, and the key that the call has: it says how many, not whose. A tenant that
 * changes its plan keeps what it earned and owed, rescaled to the new numbers (see
 * {@link io.limiter.algorithm.TokenBucket}); a window keeps its count. So all calls of one key should be under one limit
 * at a time: where two are, because there is no key or one that says too little, each call rescales what the other left.
 *
 * <p>It is asked in the thread of the call, once for each, and must be fast and safe for use by many threads. Limiters
 * are kept by the {@link io.limiter.LimiterFactory}, so limits of equal numbers cost a look-up.
 */
@FunctionalInterface
public interface LimitResolver {

    /**
     * The limit of one call, of the same kind as the declared one, or {@code null} for the declared one. What this
     * throws goes to the caller, and nothing is taken.
     */
    @Nullable
    Limit<?> resolve(LimitedCall call);
}
