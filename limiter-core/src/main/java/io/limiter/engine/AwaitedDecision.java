package io.limiter.engine;

import io.limiter.algorithm.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A decision that is there when its permits are. Cancelling it withdraws the request if it has not been sent yet. */
final class AwaitedDecision extends CompletableFuture<Decision> {

    private final CompletableFuture<Decision> decided;

    AwaitedDecision(CompletableFuture<Decision> decided, Sleeper sleeper) {
        this.decided = decided;
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
        return super.cancel(mayInterruptIfRunning);
    }

    private static Throwable cause(Throwable error) {
        @Nullable Throwable cause = error instanceof CompletionException ? error.getCause() : null;
        return cause == null ? error : cause;
    }
}
