package io.limiter.internal.engine;

import java.util.concurrent.CompletableFuture;

/**
 * Decides whether limits grant requests, atomically for each key. Engines form a chain: each completes what it can
 * and passes the rest to the next. Those that decide some requests without a future are {@link ImmediateEngine}. Safe for use by
 * multiple threads.
 */
public interface Engine extends AutoCloseable {

    /**
     * Completes the ask, now or later, or passes it to the next engine. Several parts are decided at one
     * moment, all or nothing.
     *
     * <p>Never blocks and never throws: an error {@linkplain Ask#fail fails} the ask. Never waits
     * for permits either; a granted decision says how long the caller has to wait.
     */
    void decide(Ask ask);

    /**
     * Deletes the state of a key, in this JVM and in the backend, as if the key had never been used. Does not block.
     *
     * <p>Concurrent decisions are made either before or after. What other instances have cached of the key expires
     * there: rejections within a second, prefetched permits within their prefetch time.
     *
     * @return completed when the backend has answered; fails with {@link io.limiter.LimiterBackendException} if it did not
     */
    CompletableFuture<Void> reset(String key);

    /** Fails requests that have not been sent and all later ones; those already sent are still answered. */
    @Override
    default void close() {}
}
