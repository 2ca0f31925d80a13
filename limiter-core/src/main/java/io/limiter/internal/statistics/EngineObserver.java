package io.limiter.internal.statistics;

import io.limiter.LimiterListener;
import io.limiter.LimiterTotals;

/**
 * Observes what a factory does, for meters and traces of this library. Among the listeners of a factory it is called on the deciding
 * threads, so it must be fast and must not block; the methods of a listener are not called. What it throws is logged and affects no
 * decision.
 */
public interface EngineObserver extends LimiterListener {

    /** Does nothing. */
    EngineObserver NONE = new EngineObserver() {};

    /** A limiter with a new prefix and name was built, and its decisions are counted here. */
    default void limiterAdded(LimiterTotals totals) {}

    /**
     * A call to the backend has ended.
     *
     * @param nanos duration of the call
     * @param failed whether it ended with an error
     */
    default void called(long nanos, boolean failed) {}

    /**
     * The backend failed to decide a request, or the requests for one key in a batch.
     *
     * @param problem {@link io.limiter.LimiterBackendException#problem()}; few different values, so it may be a
     *     meter's tag
     */
    default void failed(String problem) {}

    /**
     * A batch of requests is sent to the backend in one call.
     *
     * @param keys number of keys in the batch
     * @param requests number of requests in the batch
     */
    default void sent(int keys, int requests) {}

    /** Called before a decision whose caller may have to wait for permits, on the caller's thread. */
    default MayWait mayWait() {
        return MayWait.NONE;
    }

    /** Observes a caller that may have to wait for permits. */
    interface MayWait {

        /** Observes nothing. */
        MayWait NONE = limiter -> () -> {};

        /**
         * The caller starts to wait. May be called on another thread.
         *
         * @param limiter the limiter whose permits the caller waits for
         * @return to be run when the wait ends
         */
        Runnable begins(LimiterTotals limiter);
    }
}
