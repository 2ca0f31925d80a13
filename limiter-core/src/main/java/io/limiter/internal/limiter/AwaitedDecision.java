package io.limiter.internal.limiter;

import io.limiter.algorithm.Decision;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.Pending;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A future decision that completes when its permits come due. Cancelling it withdraws the request if it has not been sent,
 * and otherwise returns its permits.
 *
 * @param <D> a decision, or one of a set
 */
final class AwaitedDecision<D> extends CompletableFuture<D> {

    private final Pending<?> pending;
    private final CompletableFuture<D> decided;
    private final Function<D, Decision> toDecision;
    private final Consumer<D> returnUnused;
    private final AtomicBoolean givenUp = new AtomicBoolean();

    /**
     * @param pending the request, which is withdrawn on cancellation
     * @param decided its result
     * @param begins called when the wait begins; returns what to run when it ends
     * @param returnUnused returns the permits
     */
    AwaitedDecision(
            Pending<?> pending,
            CompletableFuture<D> decided,
            Function<D, Decision> toDecision,
            Sleeper sleeper,
            Function<D, Runnable> begins,
            Consumer<D> returnUnused) {
        this.pending = pending;
        this.decided = decided;
        this.toDecision = toDecision;
        this.returnUnused = returnUnused;
        decided.whenComplete((answer, error) -> {
            if (error != null) {
                completeExceptionally(AsyncFailures.cause(error));
                return;
            }
            Decision decision = toDecision.apply(answer);
            if (decision.granted() && decision.waitMicros() > 0) {
                Runnable end = begins.apply(answer);
                // Runs after a cancellation too.
                whenComplete((done, failure) -> end.run());
                completeIn(sleeper, decision.waitMicros(), answer);
            } else {
                complete(answer);
            }
        });
    }

    private void completeIn(Sleeper sleeper, long micros, D answer) {
        Runnable cancel;
        try {
            cancel = sleeper.later(micros, () -> complete(answer));
        } catch (RuntimeException | Error e) {
            // For example if there is no thread for the timer: nothing else would complete this.
            completeExceptionally(e);
            return;
        }
        whenComplete((done, failure) -> cancel.run());
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        Pending.withdraw(pending);
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled && givenUp.compareAndSet(false, true)) {
            // Has no effect if the request was withdrawn or failed.
            decided.thenAccept(answer -> {
                if (toDecision.apply(answer).granted()) {
                    returnUnused.accept(answer);
                }
            });
        }
        return cancelled;
    }
}
