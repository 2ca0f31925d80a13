package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.internal.thread.LimiterThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Unwraps the exceptions of failed futures. */
public final class AsyncFailures {

    private static final int IDLE_SECONDS = 10;

    /** Not the default of the JDK, whose threads inherit from whoever is first where there are two processors or one. */
    private static final Executor OUTSIDE = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            LimiterThread.numbered("limiter-outside-"));

    private AsyncFailures() {}

    /** The failure without the {@link CompletionException} around it. */
    public static Throwable cause(Throwable error) {
        @Nullable Throwable cause = error instanceof CompletionException ? error.getCause() : null;
        return cause == null ? error : cause;
    }

    /**
     * As {@code thenApply}, but fails with the failure itself. Completing the result does not stop the source, nor
     * keep it from being completed.
     */
    public static <S, T> CompletableFuture<T> map(CompletableFuture<S> source, Function<S, T> map) {
        CompletableFuture<T> mapped = new CompletableFuture<>();
        source.thenApply(map).whenComplete((value, error) -> end(mapped, value, error));
        return mapped;
    }

    /** As {@link #map} with the value itself; callers' code that depends on the result runs on no thread of the limiter. */
    public static <T extends @Nullable Object> CompletableFuture<T> outside(CompletableFuture<T> source) {
        CompletableFuture<T> copy = new CompletableFuture<>();
        if (source.isDone()) {
            source.whenComplete((value, error) -> end(copy, value, error));
        } else {
            source.whenCompleteAsync((value, error) -> end(copy, value, error), AsyncFailures::runOutside);
        }
        return copy;
    }

    private static void runOutside(Runnable stages) {
        try {
            OUTSIDE.execute(stages);
        } catch (OutOfMemoryError e) {
            // No thread can be started, and nothing else would run them.
            stages.run();
        }
    }

    private static <T extends @Nullable Object> void end(
            CompletableFuture<T> future, T value, @Nullable Throwable error) {
        if (error == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(cause(error));
        }
    }

    /**
     * Waits for the value, even if interrupted. An unchecked exception of the future is thrown as it is; one of the backend has
     * this thread's stack trace.
     */
    public static <T extends @Nullable Object> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw unchecked(e);
        }
    }

    private static RuntimeException unchecked(CompletionException failed) {
        Throwable cause = failed.getCause();
        if (cause instanceof LimiterBackendException failure) {
            return failure.inThisThread();
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException thrown ? thrown : failed;
    }
}
