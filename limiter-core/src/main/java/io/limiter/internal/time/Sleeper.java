package io.limiter.internal.time;

import com.google.common.base.Ticker;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

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
                sleep(micros, () -> false);
            }

            @Override
            public void sleep(long micros, BooleanSupplier ended) {
                long endNanos = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
                boolean interrupted = false;
                for (long left = endNanos - System.nanoTime();
                        left > 0 && !ended.getAsBoolean();
                        left = endNanos - System.nanoTime()) {
                    LockSupport.parkNanos(this, left);
                    // Parking returns immediately while the flag is set.
                    interrupted |= Thread.interrupted();
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public Runnable later(long micros, Runnable action) {
                return Timers.later(threads, micros, action);
            }
        };
    }

    /**
     * Runs the action after a delay, in microseconds, more than 0, for which no thread is blocked.
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

    /**
     * As {@link #sleep(long)}, but may return before.
     *
     * @param ended whether it need not sleep any longer; whoever makes that {@code true} unparks the thread
     */
    default void sleep(long micros, BooleanSupplier ended) {
        sleep(micros);
    }
}
