package io.limiter.internal.resilience;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.Limit;

/** What is thrown where a limit itself throws, which is nobody's doing but its author's: the same by every engine. */
public final class LimitFailures {

    private LimitFailures() {}

    /**
     * @param decided whether the backend had decided already
     */
    public static LimiterBackendException of(String key, Limit<?> limit, RuntimeException cause, boolean decided) {
        if (cause instanceof LimiterBackendException already) {
            return already;
        }
        String text = "the limit " + limit + " failed: " + cause;
        return decided
                ? LimiterBackendException.permanentAfterwards("limit", key, text, cause)
                : LimiterBackendException.of(Kind.PERMANENT, "limit", key, text, cause);
    }
}
