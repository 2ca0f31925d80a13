package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;

/** Finds the key of a call of a limited method. Safe for use by many threads. */
@FunctionalInterface
public interface CallKey {

    /**
     * The key.
     *
     * @param arguments of the call
     * @throws MissingLimitKeyException if the call has no key
     */
    String of(@Nullable Object[] arguments);
}
