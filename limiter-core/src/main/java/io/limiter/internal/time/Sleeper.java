package io.limiter.internal.time;

import com.google.common.base.Ticker;
import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.TimeUnit;

/** How a caller waits for permits that were granted later than now. */
@FunctionalInterface
public interface Sleeper {

    /** Sleeps on when interrupted, and restores the interrupt flag at the end, as Guava's limiter does. */
    Sleeper UNINTERRUPTIBLE = micros -> Uninterruptibles.sleepUninterruptibly(micros, TimeUnit.MICROSECONDS);

    /**
     * Runs the action after so many microseconds, more than 0, without keeping a thread waiting.
     *
     * @return cancels it
     */
    default Runnable later(long micros, Runnable action) {
        return Timers.later(micros, action);
    }

    /** The clock by which it sleeps. */
    default Ticker ticker() {
        return Ticker.systemTicker();
    }

    /** Whether time passes on it by itself. If not, as in a test, nothing happens in the background either. */
    default boolean runsByItself() {
        return true;
    }

    /** Returns after the given number of microseconds, more than 0. */
    void sleep(long micros);
}
