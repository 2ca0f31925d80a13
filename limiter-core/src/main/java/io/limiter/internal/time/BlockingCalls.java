package io.limiter.internal.time;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.thread.LimiterThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Runs blocking calls on daemon threads, on behalf of callers that must not block. Starts up to {@value #MAX_THREADS}
 * threads on demand; idle threads end after ten seconds.
 */
public final class BlockingCalls extends ThreadPoolExecutor {

    public static final int MAX_THREADS = 64;

    private static final int IDLE_SECONDS = 10;

    public BlockingCalls() {
        this("limiter-blocking-");
    }

    /**
     * @param name prefix of the threads' names
     */
    public BlockingCalls(String name) {
        this(LimiterThread.numbered(name));
    }

    public BlockingCalls(ThreadFactory threads) {
        super(0, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new ForIdleThreads(), threads, new Queueing());
    }

    /**
     * Runs a call on an idle thread or a new one. If none can be started, it waits for one of those that there are.
     *
     * @throws OutOfMemoryError if there is no thread, and none can be started
     */
    @Override
    public void execute(Runnable task) {
        try {
            super.execute(task);
        } catch (OutOfMemoryError e) {
            getQueue().add(task);
            // The last thread may have ended before it could see the task.
            if (getPoolSize() == 0 && remove(task)) {
                throw e;
            }
        }
    }

    /** Ends threads as soon as they are idle; later tasks still run. */
    public void endIdleThreads() {
        setKeepAliveTime(0, TimeUnit.SECONDS);
    }

    /** Accepts a task only if a thread is idle, so that the pool starts a thread otherwise. */
    private static final class ForIdleThreads extends LinkedTransferQueue<Runnable> {

        private static final long serialVersionUID = 1;

        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }

        /** Queues it. JDK 21.0.2 would call {@link #offer}, and lose the task (JDK-8323659). */
        @Override
        public boolean add(Runnable task) {
            return super.offer(task);
        }
    }

    /** Queues tasks when all threads are busy. */
    private static final class Queueing implements RejectedExecutionHandler {

        @Override
        public void rejectedExecution(Runnable task, ThreadPoolExecutor threads) {
            if (threads.isShutdown()) {
                throw new RejectedExecutionException("shut down");
            }
            threads.getQueue().add(task);
            // The last thread may have ended before it could see the task.
            if (threads.getPoolSize() == 0 && threads.remove(task)) {
                threads.execute(task);
            }
        }
    }

    /**
     * Runs a blocking call on another thread.
     *
     * @return fails with the exception of the call, or with {@link LimiterBackendException} if these threads were
     *     shut down
     */
    public static <T> CompletableFuture<T> start(Executor blockingCalls, String key, Supplier<T> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            blockingCalls.execute(() -> {
                try {
                    answer.complete(call.get());
                } catch (RuntimeException | Error e) {
                    answer.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(BackendFailures.closed(key));
        }
        return answer;
    }
}
