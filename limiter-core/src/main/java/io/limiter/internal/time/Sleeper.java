package io.limiter.internal.time;

import com.google.common.base.Ticker;
import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Waits until a caller's permits are available. */
@FunctionalInterface
public interface Sleeper {

    /** For whoever has no factory, and for actions that do not block. */
    Sleeper UNINTERRUPTIBLE = with(new BlockingCalls("limiter-timed-"));

    /**
     * Continues to sleep when interrupted and restores the interrupt flag afterwards, as Guava's limiter does.
     *
     * @param threads run delayed actions; reject none
     */
    static Sleeper with(Executor threads) {
        return new Sleeper() {
            @Override
            public void sleep(long micros) {
                Uninterruptibles.sleepUninterruptibly(micros, TimeUnit.MICROSECONDS);
            }

            @Override
            public Runnable later(long micros, Runnable action) {
                return Timers.later(threads, micros, action);
            }
        };
    }

    /**
     * Runs the action after a delay, in microseconds, more than 0, without blocking a thread meanwhile.
     *
     * @return cancels the action
     */
    default Runnable later(long micros, Runnable action) {
        return UNINTERRUPTIBLE.later(micros, action);
    }

    /** The clock that measures the time slept. */
    default Ticker ticker() {
        return Ticker.systemTicker();
    }

    /** Whether time advances on its own. If not, as with a test clock, no background threads run either. */
    default boolean runsByItself() {
        return true;
    }

    /** Returns after the given number of microseconds, more than 0. */
    void sleep(long micros);
}
