package io.limiter.internal.time;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs things later, for all factories of this JVM. One thread waits for all of them, and forgets what is cancelled. What is
 * due may be a caller's and block, so others run it: one, unless several are busy at once.
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
     * @return cancels it
     * @throws OutOfMemoryError if there can be no thread for it
     */
    static Runnable later(long micros, Runnable action) {
        // First: scheduled without a thread, it would be run some day.
        WAITING.prestartCoreThread();
        Future<?> timer = WAITING.schedule(() -> run(action), micros, TimeUnit.MICROSECONDS);
        return () -> timer.cancel(false);
    }

    /** Runs what may block, at once, on another thread. */
    public static void run(Runnable action) {
        try {
            RUNNING.execute(action);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // There is no other thread: late is better than never.
            action.run();
        }
    }

    /** How many wait. */
    static int waiting() {
        return WAITING.getQueue().size();
    }
}
