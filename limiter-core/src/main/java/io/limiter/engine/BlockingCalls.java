package io.limiter.engine;

import io.limiter.LimiterBackendException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Daemon threads for calls that block, on behalf of callers that must not be. There are none until they are needed, as
 * many as there are calls then but no more than {@value #MAX_THREADS}, and none again ten seconds later.
 */
public final class BlockingCalls extends ThreadPoolExecutor {

    /** Why calls fail once there are no threads for them any more. */
    public static final String CLOSED = "the limiters were closed";

    static final int MAX_THREADS = 64;

    private static final int IDLE_SECONDS = 10;

    public BlockingCalls() {
        super(MAX_THREADS, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads());
        allowCoreThreadTimeOut(true);
    }

    /**
     * Decides on another thread, unless it is cancelled before.
     *
     * @return fails with {@link LimiterBackendException} if these calls were shut down
     */
    public static <T> CompletableFuture<T> decide(Executor blockingCalls, String key, Supplier<T> decide) {
        CompletableFuture<T> decision = new CompletableFuture<>();
        try {
            blockingCalls.execute(() -> {
                try {
                    if (!decision.isDone()) {
                        decision.complete(decide.get());
                    }
                } catch (RuntimeException | Error e) {
                    decision.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            decision.completeExceptionally(new LimiterBackendException(key, CLOSED));
        }
        return decision;
    }

    private static ThreadFactory threads() {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, "limiter-blocking-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
