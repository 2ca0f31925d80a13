package io.limiter.internal.resilience;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Pending;
import io.limiter.internal.engine.PendingDecision;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A call to the backend for one pending decision, retried before its deadline as long as nothing was executed.
 *
 * @param <A> the type of the backend's answer
 */
final class BoundedCall<A> {

    private final Guard guard;
    private final Pending<?> pending;
    private final Supplier<CompletableFuture<A>> call;
    private final Consumer<A> answer;
    private final long startNanos;

    private BoundedCall(
            Guard guard, Pending<?> pending, Supplier<CompletableFuture<A>> call, Consumer<A> answer, long startNanos) {
        this.guard = guard;
        this.pending = pending;
        this.call = call;
        this.answer = answer;
        this.startNanos = startNanos;
    }

    /**
     * @param call makes the call and calls {@link Pending#send} immediately before it is sent; must not block
     * @param answer completes the pending decision
     */
    static <A> void start(Guard guard, Pending<?> pending, Supplier<CompletableFuture<A>> call, Consumer<A> answer) {
        long startNanos = guard.now();
        pending.dueAt(startNanos + guard.decisionTimeoutNanos());
        try {
            check(guard, pending);
        } catch (LimiterBackendException e) {
            pending.fail(e, guard.outside());
            return;
        }
        BoundedCall<A> started = new BoundedCall<>(guard, pending, call, answer, startNanos);
        guard.deadlines().add(started);
        started.attempt();
    }

    /** A set needs the nodes of all its keys. */
    private static void check(Guard guard, Pending<?> pending) {
        guard.check(pending.key());
        if (pending instanceof PendingDecision<?> decision) {
            for (int i = 1; i < decision.size(); i++) {
                guard.check(decision.key(i));
            }
        }
    }

    private void attempt() {
        if (pending.isDone()) {
            return;
        }
        CompletableFuture<A> attempt;
        try {
            attempt = call.get();
        } catch (RuntimeException | Error e) {
            attempt = CompletableFuture.failedFuture(e);
        }
        attempt.whenComplete((answered, error) -> {
            if (error != null) {
                failed(AsyncFailures.cause(error));
                return;
            }
            guard.answered(pending.key(), startNanos);
            try {
                answer.accept(answered);
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        });
    }

    private void failed(Throwable error) {
        if (pending.isEnding() || pending.isWithdrawn()) {
            return;
        }
        LimiterBackendException failure = error instanceof LimiterBackendException known
                ? known
                : BackendFailures.ambiguous(pending.key(), "the call failed: " + error, error);
        long pause = guard.pauseNanos(pending, failure, guard.now());
        if (pause > 0) {
            pending.waitAgain();
            guard.deadlines().later(pause, this::attempt);
            return;
        }
        guard.failed(failure);
        pending.fail(failure, guard.outside());
    }

    boolean isDone() {
        return pending.isDone();
    }

    boolean isOverdue(long nowNanos) {
        return pending.isOverdue(nowNanos);
    }

    /** Fails the pending decision at its deadline. */
    void expire() {
        guard.expire(pending);
    }
}
