package io.limiter.internal.resilience;

import io.limiter.LimiterBackendException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * What was asked of the backend, or if that fails, what is answered instead. Cancelling it cancels what was asked.
 *
 * @param <T> the answer
 */
public final class WithFallback<T> extends CompletableFuture<T> {

    private final CompletableFuture<T> asked;

    private WithFallback(CompletableFuture<T> asked) {
        this.asked = asked;
    }

    /**
     * @param instead throws {@link LimiterBackendException} if it is to fail
     */
    public static <T> CompletableFuture<T> of(
            CompletableFuture<T> asked, Function<LimiterBackendException, T> instead) {
        WithFallback<T> answered = new WithFallback<>(asked);
        asked.whenComplete((answer, error) -> {
            if (error == null) {
                answered.complete(answer);
                return;
            }
            LimiterBackendException failure = Failover.failureOf(error);
            if (failure == null || answered.isDone()) {
                answered.completeExceptionally(error);
                return;
            }
            try {
                answered.complete(instead.apply(failure));
            } catch (RuntimeException | Error e) {
                answered.completeExceptionally(e);
            }
        });
        return answered;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        asked.cancel(mayInterruptIfRunning);
        return super.cancel(mayInterruptIfRunning);
    }
}
