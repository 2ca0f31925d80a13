package io.limiter.spring.check;

import io.limiter.internal.backend.AsyncFailures;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A running check for which no thread waits. Cancelling it cancels the pending decision. */
final class AsyncCheck extends CompletableFuture<CheckResult> {

    private final Check check;
    private volatile @Nullable CompletableFuture<?> pending;

    private AsyncCheck(Check check) {
        this.check = check;
    }

    static AsyncCheck start(Check check) {
        AsyncCheck running = new AsyncCheck(check);
        running.next();
        return running;
    }

    private void next() {
        try {
            if (isCancelled()) {
                check.cancelled();
                return;
            }
            CheckStep<?> step = check.next();
            if (step != null) {
                decide(step);
            } else if (!complete(check.granted())) {
                check.cancelled();
            }
        } catch (RuntimeException | Error e) {
            completeExceptionally(e);
        }
    }

    private <D> void decide(CheckStep<D> step) {
        CompletableFuture<D> decision;
        try {
            decision = step.decideAsync();
        } catch (RuntimeException | Error e) {
            check.failed(step);
            throw e;
        }
        pending = decision;
        if (isCancelled()) {
            decision.cancel(true);
        }
        decision.whenComplete((decided, error) -> {
            try {
                if (error == null) {
                    decided(check.decided(step, decided));
                } else {
                    check.failed(step);
                    completeExceptionally(AsyncFailures.cause(error));
                }
            } catch (RuntimeException | Error e) {
                completeExceptionally(e);
            }
        });
    }

    private void decided(@Nullable Rejection rejection) {
        if (rejection == null) {
            next();
        } else {
            complete(CheckResult.rejected(rejection));
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        CompletableFuture<?> decision = pending;
        if (cancelled && decision != null) {
            decision.cancel(mayInterruptIfRunning);
        }
        return cancelled;
    }
}
