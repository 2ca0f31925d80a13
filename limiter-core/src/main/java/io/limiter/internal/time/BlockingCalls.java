package io.limiter.internal.time;

import io.limiter.LimiterBackendException;
import io.limiter.spi.Pending;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Daemon threads for calls that block, on behalf of callers that must not be. There are none until they are needed, as
 * many as are busy at once but no more than {@value #MAX_THREADS}, and none again ten seconds later.
 */
public final class BlockingCalls extends ThreadPoolExecutor {

    public static final int MAX_THREADS = 64;

    private static final int IDLE_SECONDS = 10;

    public BlockingCalls() {
        this("limiter-blocking-");
    }

    /**
     * @param name what the names of the threads begin with
     */
    public BlockingCalls(String name) {
        super(0, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new ForIdleThreads(), threads(name), new Queueing());
    }

    /** Takes only what a thread waits for; so one more is started otherwise, and what is beyond those queues. */
    private static final class ForIdleThreads extends LinkedTransferQueue<Runnable> {

        private static final long serialVersionUID = 1;

        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }
    }

    /** All threads are busy. */
    private static final class Queueing implements RejectedExecutionHandler {

        @Override
        public void rejectedExecution(Runnable task, ThreadPoolExecutor threads) {
            if (threads.isShutdown()) {
                throw new RejectedExecutionException("shut down");
            }
            threads.getQueue().add(task);
            // All may have ended before it was there to be seen.
            if (threads.getPoolSize() == 0 && threads.remove(task)) {
                threads.execute(task);
            }
        }
    }

    /**
     * Decides on another thread, unless it is cancelled or withdrawn before.
     *
     * @return fails with {@link LimiterBackendException} if these calls were shut down
     */
    public static <T> Pending<T> decide(Executor blockingCalls, String key, Supplier<T> decide) {
        return decideIfSent(blockingCalls, key, pending -> pending.send() ? decide.get() : null);
    }

    /**
     * As {@link #decide}, by something that calls {@link Pending#send} itself as soon as it can no longer be withdrawn.
     *
     * @param decide returns {@code null} if it was withdrawn
     */
    public static <T> Pending<T> decideIfSent(
            Executor blockingCalls, String key, Function<Pending<T>, @Nullable T> decide) {
        Pending<T> decision = new Pending<>();
        try {
            blockingCalls.execute(() -> {
                try {
                    if (!decision.isDone()) {
                        T decided = decide.apply(decision);
                        if (decided != null) {
                            decision.complete(decided);
                        }
                    }
                } catch (RuntimeException | Error e) {
                    decision.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            decision.completeExceptionally(LimiterBackendException.closed(key));
        }
        return decision;
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
