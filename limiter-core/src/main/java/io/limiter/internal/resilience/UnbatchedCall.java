package io.limiter.internal.resilience;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Pending;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call to the backend for one pending decision, retried before its deadline as long as nothing was executed.
 *
 * @param <A> the type of the backend's answer
 */
final class UnbatchedCall<A> {

    private final Guard guard;
    private final Pending<?> pending;
    private final Consumer<BiConsumer<@Nullable A, @Nullable Throwable>> call;
    private final Consumer<A> answer;
    private final long startNanos;

    /**
     * @param call makes the call, and calls {@link Pending#markSent} immediately before it is sent; calls its argument with the
     *     answer, or with the failure. Must not block
     * @param answer completes the pending decision
     * @param startNanos when the pending decision began
     */
    UnbatchedCall(
            Guard guard,
            Pending<?> pending,
            Consumer<BiConsumer<@Nullable A, @Nullable Throwable>> call,
            Consumer<A> answer,
            long startNanos) {
        this.guard = guard;
        this.pending = pending;
        this.call = call;
        this.answer = answer;
        this.startNanos = startNanos;
    }

    void attempt() {
        if (pending.isDone()) {
            return;
        }
        try {
            call.accept(this::ended);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private void ended(@Nullable A answered, @Nullable Throwable error) {
        if (answered == null) {
            failed(error == null ? new IllegalStateException("no answer") : error);
            return;
        }
        guard.answered(pending.key(), startNanos);
        try {
            answer.accept(answered);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private void failed(Throwable error) {
        if (pending.isEnding() || pending.isWithdrawn()) {
            return;
        }
        LimiterBackendException failure = BackendFailures.of(pending.key(), error);
        long pause = guard.pauseNanos(pending, failure, guard.deadlines().now());
        if (pause > 0) {
            pending.waitAgain();
            guard.deadlines().later(pause, this::attempt);
            return;
        }
        guard.failed(failure, true);
        pending.fail(failure, guard.outside());
    }

    /**
     * Fails the pending decision if it is overdue.
     *
     * @return whether there is nothing left to be done
     */
    boolean endOverdue(long nowNanos) {
        if (pending.isDone() || !pending.isOverdue(nowNanos)) {
            return pending.isDone();
        }
        try {
            guard.expire(pending);
            return true;
        } catch (RuntimeException | Error e) {
            // The others must still be failed.
            guard.deadlines().report("An overdue call could not be failed; retrying. Please report this as a bug.", e);
            return false;
        }
    }
}
