package io.limiter.internal.waiting;

import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A caller's future of a decision, completed when its permits come due. If it is completed in any other way before, for
 * example cancelled or by a timeout, the request is given up: it is withdrawn, or its permits are returned.
 *
 * @param <T> the caller's result
 */
public final class CallerFuture<T> extends CompletableFuture<T> {

    private final Supplier<CompletableFuture<?>> giveUp;
    private final Waits waits;
    private final Function<Outcome, T> result;
    // Set by whoever is first: the decision that is handed over, or another completion, which returns the permits.
    private final AtomicBoolean settled = new AtomicBoolean();

    /**
     * @param key named if the limiters are closed while this waits
     * @param giveUp withdraws the request, or returns its permits
     * @param decided its outcome
     * @param count called with the outcome, or the failure, unless this was completed in another way before; what it throws fails
     *     this
     * @param waitMicros how long to wait until the permits come due
     * @param begins called when the wait begins; returns what to run when it ends
     * @param result the caller's result; what it throws fails this
     */
    public CallerFuture(
            String key,
            Supplier<CompletableFuture<?>> giveUp,
            CompletableFuture<Outcome> decided,
            BiConsumer<@Nullable Outcome, @Nullable Throwable> count,
            ToLongFunction<Outcome> waitMicros,
            Waits waits,
            Function<Outcome, Runnable> begins,
            Function<Outcome, T> result) {
        this.giveUp = giveUp;
        this.waits = waits;
        this.result = result;
        whenComplete((done, failure) -> {
            if (settled.compareAndSet(false, true)) {
                waits.returning(giveUp);
            }
        });
        decided.whenComplete((decision, error) -> {
            try {
                count.accept(decision, error);
                if (error != null) {
                    completeExceptionally(AsyncFailures.cause(error));
                    return;
                }
                long micros = waitMicros.applyAsLong(decision);
                if (micros == 0) {
                    handOver(decision);
                } else {
                    Runnable end = begins.apply(decision);
                    // Runs whoever completes this.
                    whenComplete((done, failure) -> end.run());
                    Runnable cancel = waits.sleeper().later(micros, () -> handOver(decision));
                    whenComplete((done, failure) -> cancel.run());
                    Waits.Wait wait = waits.begin(() -> completeExceptionally(BackendFailures.closed(key)));
                    whenComplete((done, failure) -> wait.end());
                }
            } catch (RuntimeException | Error e) {
                // For example if there is no thread for the timer: nothing else would complete this.
                completeExceptionally(e);
            }
        });
    }

    private void handOver(Outcome decision) {
        T value;
        try {
            value = result.apply(decision);
        } catch (RuntimeException | Error e) {
            completeExceptionally(e);
            return;
        }
        if (settled.compareAndSet(false, true) && !complete(value)) {
            waits.returning(giveUp);
        }
    }
}
