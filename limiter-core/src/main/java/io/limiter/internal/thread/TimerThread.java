package io.limiter.internal.thread;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Timers on one thread, which ends when there has been none for ten seconds. What cannot be scheduled, because no thread can be
 * started, throws an {@link OutOfMemoryError} and runs at no later time.
 */
public final class TimerThread extends ScheduledThreadPoolExecutor {

    private static final int IDLE_SECONDS = 10;
    private static final int NO_THREAD_MILLIS = 10;

    /** @param threads makes the thread */
    public TimerThread(ThreadFactory threads) {
        super(1, threads);
        setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        allowCoreThreadTimeOut(true);
        setRemoveOnCancelPolicy(true);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable action, long delay, TimeUnit unit) {
        // First: otherwise the action would be queued although this throws.
        prestartCoreThread();
        return super.schedule(action, delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable action, long initialDelay, long delay, TimeUnit unit) {
        prestartCoreThread();
        return super.scheduleWithFixedDelay(action, initialDelay, delay, unit);
    }

    /**
     * Runs an action on other threads after a delay. If none of these can be started then, that is tried again until one can.
     *
     * @return cancels the action
     */
    public Runnable later(Executor threads, long delay, TimeUnit unit, Runnable action) {
        ScheduledFuture<?> timer = schedule(() -> handOver(threads, action), delay, unit);
        return () -> timer.cancel(false);
    }

    private void handOver(Executor threads, Runnable action) {
        try {
            threads.execute(action);
        } catch (OutOfMemoryError e) {
            handOverLater(threads, action);
        }
    }

    private void handOverLater(Executor threads, Runnable action) {
        try {
            later(threads, NO_THREAD_MILLIS, TimeUnit.MILLISECONDS, action);
        } catch (RejectedExecutionException e) {
            // Shut down in between: this thread is the last one that can run it.
            action.run();
        }
    }
}
