package io.limiter.spi;

import io.limiter.LimiterTotals;
import java.util.List;

/**
 * Is told what a factory does, in the threads that do it, for meters. So it is trusted: it must be quick, must not block, and
 * must not throw. Code of an application belongs into a {@link io.limiter.LimiterListener} instead.
 */
public interface EngineObserver {

    /** Looks away. */
    EngineObserver NONE = new EngineObserver() {};

    /** All of them, one after the other. */
    static EngineObserver of(List<? extends EngineObserver> observers) {
        return observers.isEmpty() ? NONE : observers.size() == 1 ? observers.get(0) : new Observers(observers);
    }

    /** Limiters of this prefix and name are counted from now on. */
    default void limiterAdded(LimiterTotals totals) {}

    /**
     * The backend has answered a call, or has not.
     *
     * @param nanos how long it took
     * @param failed whether there was an error instead of an answer
     */
    default void called(long nanos, boolean failed) {}

    /**
     * The backend has not decided a request, or those of a key in one call.
     *
     * @param problem what {@link io.limiter.LimiterBackendException#problem()} says, one of a few
     */
    default void failed(String problem) {}

    /**
     * Requests go to the backend in one call.
     *
     * @param keys how many keys they are for
     * @param requests how many there are
     */
    default void sent(int keys, int requests) {}

    /** Somebody asks who is ready to wait for permits; called in the caller's thread. */
    default MayWait mayWait() {
        return MayWait.UNSEEN;
    }

    /** A caller who may have to wait. */
    interface MayWait {

        /** Nobody looks. */
        MayWait UNSEEN = limiter -> () -> {};

        /**
         * The caller begins to wait; perhaps in another thread.
         *
         * @param limiter whose permits it waits for
         * @return to be run when the wait is over
         */
        Runnable begins(LimiterTotals limiter);
    }
}
