package io.limiter.spring.aop;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.key.CallKey;
import org.jspecify.annotations.Nullable;

/**
 * What one annotation says about one method, parsed and checked. It needs no bean, so that it can be had while beans
 * are still being made.
 *
 * @param where the annotation and the method, for messages
 * @param named whether somebody chose the name
 * @param slot what decides where in a Cluster the permits are; {@code null} if the key does
 * @param resolver the name of the bean that says which limit a call is under; empty if it is always this one
 * @param failurePolicy what it answers when Redis does not decide; {@code null} for what the application says
 */
record DeclaredLimit(
        String where,
        String prefix,
        String name,
        boolean named,
        Limit<?> limit,
        CallPermits permits,
        LimitType type,
        CallKey key,
        @Nullable CallKey slot,
        String resolver,
        OnRefusal onRefusal,
        @Nullable FailurePolicy failurePolicy)
        implements Declared {

    /** @throws IllegalArgumentException if it is a dry run that would hold callers up */
    DeclaredLimit {
        if (slot != null && !onRefusal.enforce() && limit instanceof TokenBucket bucket && bucket.timeoutMicros() > 0) {
            throw new IllegalArgumentException("a dry run in a slot would wait for its permits, up to a timeout of "
                    + bucket.timeout() + ": set the timeout to 0, leave the slot out, or enforce the limit");
        }
    }

    @Override
    public boolean inSlots() {
        return slot != null;
    }

    /**
     * What becomes of a refused call.
     *
     * @param message empty for the default
     * @param fallback what answers it; {@code null} if it throws
     * @param enforce whether it is refused at all
     */
    record OnRefusal(String message, @Nullable Fallback fallback, boolean enforce) {}
}
