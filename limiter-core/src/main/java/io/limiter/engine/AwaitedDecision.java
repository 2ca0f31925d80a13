package io.limiter.engine;

import io.limiter.algorithm.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A decision that is there when its permits are. Cancelling it withdraws the request if it has not been sent yet, and
 * gives the permits back if they are still waited for.
 */
final class AwaitedDecision extends CompletableFuture<Decision> {

    private final CompletableFuture<Decision> decided;
    private final Runnable giveBack;
    private final AtomicBoolean givenUp = new AtomicBoolean();

    AwaitedDecision(CompletableFuture<Decision> decided, Sleeper sleeper, Runnable giveBack) {
        this.decided = decided;
        this.giveBack = giveBack;
        decided.whenComplete((decision, error) -> {
            if (error != null) {
                completeExceptionally(cause(error));
            } else if (decision.granted() && decision.waitMicros() > 0) {
                sleeper.later(decision.waitMicros(), () -> complete(decision));
            } else {
                complete(decision);
            }
        });
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        decided.cancel(mayInterruptIfRunning);
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled && givenUp.compareAndSet(false, true)) {
            // Does nothing if the request was withdrawn, or failed.
            decided.thenAccept(decision -> {
                if (decision.granted()) {
                    giveBack.run();
                }
            });
        }
        return cancelled;
    }

    private static Throwable cause(Throwable error) {
        @Nullable Throwable cause = error instanceof CompletionException ? error.getCause() : null;
        return cause == null ? error : cause;
    }
}
