package io.limiter.internal.time;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Delayed execution for all factories of this JVM. One thread holds the timers and runs none of the actions, because they may
 * be code of an application and block.
 */
final class Timers {

    private static final int IDLE_SECONDS = 10;
    private static final int NO_THREAD_MICROS = 10_000;

    private static final ScheduledThreadPoolExecutor WAITING = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "limiter-timers");
        thread.setDaemon(true);
        return thread;
    });

    static {
        WAITING.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        WAITING.allowCoreThreadTimeOut(true);
        WAITING.setRemoveOnCancelPolicy(true);
    }

    private Timers() {}

    /**
     * @param running runs the action
     * @return cancels the action
     * @throws OutOfMemoryError if no thread can be started
     */
    static Runnable later(Executor running, long micros, Runnable action) {
        // First: if no thread can be started, nothing must be scheduled.
        WAITING.prestartCoreThread();
        Future<?> timer = WAITING.schedule(() -> run(running, action), micros, TimeUnit.MICROSECONDS);
        return () -> timer.cancel(false);
    }

    private static void run(Executor running, Runnable action) {
        try {
            running.execute(action);
        } catch (OutOfMemoryError e) {
            // No thread can be started now.
            later(running, NO_THREAD_MICROS, action);
        }
    }

    /** The number of pending timers. */
    static int waiting() {
        return WAITING.getQueue().size();
    }
}
