package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.Limit;

/** Failures for limits whose own code throws, the same for every engine. */
public final class LimitFailures {

    private LimitFailures() {}

    /**
     * @param decided whether the backend had already saved the decision
     */
    public static LimiterBackendException of(String key, Limit<?> limit, RuntimeException cause, boolean decided) {
        if (cause instanceof LimiterBackendException already) {
            return already;
        }
        LimiterBackendException failure = new LimiterBackendException(
                Kind.PERMANENT, "limit", key, "the limit " + limit + " failed: " + cause, null, cause);
        return decided ? failure.maybeDone() : failure;
    }
}
