package io.limiter.internal.time;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Delayed execution for all factories of this JVM. One thread holds the timers; expired actions run on other threads,
 * because they may be code of an application and block.
 */
public final class Timers {

    private static final int IDLE_SECONDS = 10;

    private static final ScheduledThreadPoolExecutor WAITING = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "limiter-timers");
        thread.setDaemon(true);
        return thread;
    });

    private static final BlockingCalls RUNNING = new BlockingCalls("limiter-timed-");

    static {
        WAITING.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        WAITING.allowCoreThreadTimeOut(true);
        WAITING.setRemoveOnCancelPolicy(true);
    }

    private Timers() {}

    /**
     * @return cancels the action
     * @throws OutOfMemoryError if no thread can be started
     */
    static Runnable later(long micros, Runnable action) {
        // First: if no thread can be started, nothing must be scheduled.
        WAITING.prestartCoreThread();
        Future<?> timer = WAITING.schedule(() -> run(action), micros, TimeUnit.MICROSECONDS);
        return () -> timer.cancel(false);
    }

    private static void run(Runnable action) {
        try {
            RUNNING.execute(action);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // No thread can be started.
            action.run();
        }
    }

    /** The number of pending timers. */
    static int waiting() {
        return WAITING.getQueue().size();
    }
}
