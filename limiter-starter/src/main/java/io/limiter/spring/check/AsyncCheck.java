package io.limiter.spring.check;

import io.limiter.internal.backend.AsyncFailures;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A running check for which no thread waits. Cancelling it cancels the pending decision. */
final class AsyncCheck extends CompletableFuture<CheckResult> {

    private final CheckRun run;
    private volatile @Nullable CompletableFuture<?> pending;

    private AsyncCheck(CheckRun run) {
        this.run = run;
    }

    static AsyncCheck start(CheckRun run) {
        AsyncCheck check = new AsyncCheck(run);
        check.next();
        return check;
    }

    private void next() {
        try {
            if (isCancelled()) {
                run.cancelled();
                return;
            }
            CheckStep<?> step = run.next();
            if (step != null) {
                decide(step);
            } else if (!complete(run.granted())) {
                run.cancelled();
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
            run.failed(step);
            throw e;
        }
        pending = decision;
        if (isCancelled()) {
            decision.cancel(true);
        }
        decision.whenComplete((decided, error) -> {
            try {
                if (error == null) {
                    decided(run.decided(step, decided));
                } else {
                    run.failed(step);
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
