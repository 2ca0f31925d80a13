package io.limiter.internal.engine;

import io.limiter.LimiterBackendException;
import java.util.concurrent.CompletableFuture;

/** Answers an {@link Ask} when the backend has failed, and returns unused permits. */
@FunctionalInterface
public interface Fallback {

    /**
     * @throws LimiterBackendException if the failure is to be the result
     */
    Outcome answer(LimiterBackendException failure, Ask ask);

    /**
     * Returns what an answer grants, without waiting for it. Must not throw.
     *
     * @return completed when it is returned
     */
    default CompletableFuture<?> returnUnused(Outcome answer, Ask ask) {
        return CompletableFuture.completedFuture(null);
    }
}
