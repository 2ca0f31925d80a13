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
 * A decision that is there when its permits are. Cancelling it withdraws the request if it has not been sent yet, and
 * gives the permits back if they are still waited for.
 *
 * @param <D> what was decided, from which a decision tells how long to wait
 */
final class AwaitedDecision<D> extends CompletableFuture<D> {

    private final CompletableFuture<D> decided;
    private final Function<D, Decision> toDecision;
    private final Consumer<D> giveBack;
    private final AtomicBoolean givenUp = new AtomicBoolean();

    /**
     * @param begins is told that the wait begins, and returns what is to be run when it ends
     * @param giveBack gives the permits back
     */
    AwaitedDecision(
            CompletableFuture<D> decided,
            Function<D, Decision> toDecision,
            Sleeper sleeper,
            Function<D, Runnable> begins,
            Consumer<D> giveBack) {
        this.decided = decided;
        this.toDecision = toDecision;
        this.giveBack = giveBack;
        decided.whenComplete((answer, error) -> {
            if (error != null) {
                completeExceptionally(AsyncFailures.cause(error));
                return;
            }
            Decision decision = toDecision.apply(answer);
            if (decision.granted() && decision.waitMicros() > 0) {
                Runnable end = begins.apply(answer);
                // Also if it is cancelled meanwhile.
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
            // Such as no thread for the timer. Nobody else would end the wait.
            completeExceptionally(e);
            return;
        }
        whenComplete((done, failure) -> cancel.run());
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        Pending.withdraw(decided);
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled && givenUp.compareAndSet(false, true)) {
            // Does nothing if the request was withdrawn, or failed.
            decided.thenAccept(answer -> {
                if (toDecision.apply(answer).granted()) {
                    giveBack.accept(answer);
                }
            });
        }
        return cancelled;
    }
}
