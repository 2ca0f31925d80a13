package io.limiter.spring.aop;

import io.limiter.spi.AsyncFailures;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a call, being asked one after the other without a thread that waits; empty if the call can go on.
 * Cancelling it withdraws the question that is under way, as {@link io.limiter.Limiter#decideAsync(int)} says.
 */
final class Asking extends CompletableFuture<Optional<Refusal>> {

    private final Iterator<Asked<?>> questions;
    private volatile @Nullable CompletableFuture<?> pending;

    private Asking(List<Asked<?>> questions) {
        this.questions = questions.iterator();
    }

    static Asking of(List<Asked<?>> questions) {
        Asking asking = new Asking(questions);
        asking.next();
        return asking;
    }

    private void next() {
        try {
            if (isCancelled()) {
                return;
            }
            if (questions.hasNext()) {
                ask(questions.next());
            } else {
                complete(Optional.empty());
            }
        } catch (RuntimeException | Error e) {
            completeExceptionally(e);
        }
    }

    private <D> void ask(Asked<D> question) {
        CompletableFuture<D> decided = question.decideAsync();
        pending = decided;
        if (isCancelled()) {
            decided.cancel(true);
        }
        decided.whenComplete((decision, error) -> {
            try {
                if (error != null) {
                    completeExceptionally(AsyncFailures.cause(error));
                } else {
                    answered(question.refusal(decision));
                }
            } catch (RuntimeException | Error e) {
                completeExceptionally(e);
            }
        });
    }

    private void answered(@Nullable Refusal refusal) {
        if (refusal == null) {
            next();
        } else {
            complete(Optional.of(refusal));
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        CompletableFuture<?> asked = pending;
        if (cancelled && asked != null) {
            asked.cancel(mayInterruptIfRunning);
        }
        return cancelled;
    }
}
