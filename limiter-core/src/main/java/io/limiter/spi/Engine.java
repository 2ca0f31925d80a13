package io.limiter.spi;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether limits grant requests, atomically for each key. Engines form a chain: each completes what it can
 * and passes the rest to the next. Safe for use by multiple threads.
 */
public interface Engine extends AutoCloseable {

    /**
     * Completes the pending decision, now or later, or passes it to the next engine. Several parts are decided at one
     * moment, all or nothing.
     *
     * <p>Never blocks and never throws: an error {@linkplain Pending#fail fails} the pending decision. Never waits
     * for permits either; a granted decision says how long the caller has to wait.
     */
    void decide(PendingDecision<?> pending);

    /**
     * Decides one request synchronously if this engine has no backend to wait for; saves the cost of a future.
     *
     * @return {@code null} if {@link #decide} has to be used
     */
    default @Nullable Decision decideAtOnce(String key, Limit<?> limit, Request request) {
        return null;
    }

    /** What is decided without waiting for the backend. */
    enum Known {
        /** Granted from prefetched permits. */
        GRANTED,
        /** Rejected: an earlier rejection of the backend still holds. */
        REJECTED,
        /** Granted by this engine, which has no backend to wait for. */
        GRANTED_AT_ONCE,
        /** Rejected by this engine, which has no backend to wait for. */
        REJECTED_AT_ONCE,
        /** Only the backend can decide; no permit was taken. */
        UNKNOWN
    }

    /** Grants or rejects permits if that is possible without waiting for the backend. Allocates nothing. */
    default Known tryWithoutBackend(String key, Limit<?> limit, int permits, long timeoutMicros) {
        return Known.UNKNOWN;
    }

    /**
     * Drops the permits that were taken ahead under a limit, because its limiters have another one from now on. They are not
     * returned either: under another limit as many permits mean something else.
     *
     * @param replaced this object, not one that equals it
     */
    default void dropPrefetched(Limit<?> replaced) {}

    /**
     * Deletes the state of a key, in this JVM and in the backend, as if the key had never been used. Blocks until the
     * backend has answered.
     *
     * <p>Concurrent decisions are made either before or after. What other instances have cached of the key expires
     * there: rejections within a second, prefetched permits within their prefetch time.
     *
     * @throws io.limiter.LimiterBackendException if the backend did not answer
     */
    void reset(String key);

    /** Fails requests that have not been sent and all later ones; those already sent are still answered. */
    @Override
    default void close() {}
}
