package io.limiter.internal.time;

import io.limiter.internal.thread.LimiterThread;
import io.limiter.internal.thread.TimerThread;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Delayed execution for all factories of this JVM. One thread holds the timers and runs none of the actions, because they may
 * be code of an application and block.
 */
final class Timers {

    private static final TimerThread WAITING = new TimerThread(LimiterThread.named("limiter-timers"));

    private Timers() {}

    /**
     * @param running runs the action
     * @return cancels the action
     * @throws OutOfMemoryError if no thread can be started for the timer
     */
    static Runnable later(Executor running, long micros, Runnable action) {
        return WAITING.later(running, micros, TimeUnit.MICROSECONDS, action);
    }

    /** The number of pending timers. */
    static int waiting() {
        return WAITING.getQueue().size();
    }
}
