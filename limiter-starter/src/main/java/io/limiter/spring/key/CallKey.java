package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;

/** Finds the key of a call of a limited method. Safe for use by many threads. */
@FunctionalInterface
public interface CallKey {

    /**
     * The key, or {@code null} if all callers share the limit.
     *
     * @param arguments of the call
     * @throws MissingLimitKeyException if the call has no key
     */
    @Nullable
    String of(@Nullable Object[] arguments);
}
