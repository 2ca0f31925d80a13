package io.limiter.benchmark.subject;

import java.util.concurrent.CompletionStage;

/**
 * A rate limiter under test, opened for one allowance and a number of ids that it limits separately. Safe for use by
 * many threads.
 */
public interface Subject extends AutoCloseable {

    /**
     * Requests one permit without waiting for one to become free. Returns the decision.
     *
     * @param id which of the ids, from 0
     * @return whether the permit was granted
     */
    boolean tryAcquire(int id);

    @Override
    default void close() {}

    /** One that also decides without blocking its caller. */
    @FunctionalInterface
    interface Async extends Subject {

        /** As {@link #tryAcquire}; completes when it is decided, on any thread, perhaps before it returns. */
        CompletionStage<Boolean> tryAcquireAsync(int id);

        @Override
        default boolean tryAcquire(int id) {
            return tryAcquireAsync(id).toCompletableFuture().join();
        }
    }
}
