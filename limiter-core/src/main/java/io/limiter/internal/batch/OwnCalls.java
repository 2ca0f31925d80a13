package io.limiter.internal.batch;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.resilience.Deadlines;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.step.Verdict;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests, sets and resets that share no call. Each has one of its own at once, made by its caller's thread unless it blocks, because
 * a queue would have one thread make the calls of the others. Nothing is written that all of them share, except the queue of those
 * under way.
 */
final class OwnCalls {

    private final Backend backend;
    private final Executor blockingCalls;
    private final Guard guard;
    private final Deadlines deadlines;
    // Those that have ended are removed when deadlines are checked, which costs a caller less than to find its own
    // here.
    private final Queue<Ask> underWay = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    /** @param blockingCalls runs calls that block */
    OwnCalls(Backend backend, Executor blockingCalls, Guard guard) {
        this.backend = backend;
        this.blockingCalls = blockingCalls;
        this.guard = guard;
        this.deadlines = guard.deadlines();
        deadlines.watch(this::endOverdue);
    }

    void add(Ask ask) {
        underWay.add(ask);
        // Before the call: a client that blocks in it must not keep the deadline from being checked.
        deadlines.ensureChecking();
        start(ask);
    }

    /** Fails all later requests, and those that would be sent again; those already sent are still answered. */
    void close() {
        closed = true;
    }

    private void start(Ask ask) {
        if (closed) {
            guard.fail(ask, BackendFailures.closed(ask.key()));
            return;
        }
        OwnCall call = new OwnCall(ask, deadlines.now());
        try {
            if (ask.isReset() || backend.blocks()) {
                BlockingCalls.start(blockingCalls, ask.key(), () -> {
                            call.startBlocking();
                            return call;
                        })
                        .exceptionally(e -> {
                            call.failed(e);
                            return call;
                        });
            } else {
                call.start();
            }
        } catch (RuntimeException | Error e) {
            // Errors too, such as a StackOverflowError of the caller.
            call.failed(e);
        }
    }

    private void startAgain(Ask ask, long pauseNanos, LimiterBackendException failure) {
        try {
            deadlines.later(pauseNanos, () -> start(ask));
        } catch (RuntimeException | Error e) {
            deadlines.report(
                    "No thread could be started to retry a request, so it fails and its failure policy decides. Check the JVM's memory and thread limits.",
                    e);
            ask.fail(failure, guard.outside());
        }
    }

    /** Whether any is pending, once those that are overdue have failed. */
    private boolean endOverdue(long nowNanos) {
        underWay.removeIf(ask -> hasEnded(ask, nowNanos));
        return !underWay.isEmpty();
    }

    private boolean hasEnded(Ask ask, long nowNanos) {
        if (!ask.isDone() && ask.isOverdue(nowNanos)) {
            try {
                guard.expire(ask);
            } catch (RuntimeException | Error e) {
                // The others must still be failed; this one is retried at the next check.
                deadlines.report(
                        "An overdue request could not be ended, and its caller still waits. Retrying. Please report this as a bug.",
                        e);
            }
        }
        return ask.isDone();
    }

    /** One call, which accepts the answers. It ends once. */
    private final class OwnCall implements Consumer<List<Answer>> {

        private final Ask ask;
        private final long startNanos;
        private final AtomicBoolean ended = new AtomicBoolean();

        OwnCall(Ask ask, long startNanos) {
            this.ask = ask;
            this.startNanos = startNanos;
        }

        void start() {
            backend.start(new Call(ask.parts(), ask.size() > 1, ask::markSent, this));
        }

        /** What has ended while it waited for a thread or a connection must not cost a connection or a lock. */
        void startBlocking() {
            if (!ask.isEnding() && backend.blocks()) {
                connect();
            }
            if (ask.isEnding()) {
                throw BackendFailures.withdrawn(ask.key());
            }
            if (!ask.isReset()) {
                start();
            } else if (ask.markSent()) {
                backend.delete(ask.key());
                accept(List.of());
            } else {
                throw BackendFailures.withdrawn(ask.key());
            }
        }

        /** Before the request is marked as sent, because it can be withdrawn while the connection is made. */
        private void connect() {
            try {
                backend.connect();
            } catch (RuntimeException e) {
                throw backend.notConnected(ask.key(), e);
            }
        }

        /** @param answers of all parts, of which all have failed or none has; none for a reset */
        @Override
        public void accept(List<Answer> answers) {
            if (!ended.compareAndSet(false, true)) {
                return;
            }
            LimiterBackendException failure;
            try {
                failure = answer(answers);
            } catch (RuntimeException | Error e) {
                // For example too few verdicts.
                failure = BackendFailures.notCompleted(ask.key(), e);
            }
            try {
                if (failure != null) {
                    end(failure);
                }
                if (failure == null || failure.kind() == Kind.PERMANENT) {
                    guard.answered(ask.key(), startNanos);
                }
            } catch (RuntimeException | Error e) {
                ask.fail(BackendFailures.ambiguous(ask.key(), "it could not be completed: " + e, e), guard.outside());
            }
        }

        /** @return the failure if there is no decision */
        private @Nullable LimiterBackendException answer(List<Answer> answers) {
            if (ask.isReset()) {
                ask.answer(Outcome.of(Verdict.granted(1, 1, 0)));
                return null;
            }
            LimiterBackendException failure = answers.get(0).failure();
            if (failure == null) {
                for (int i = 0; i < ask.size(); i++) {
                    guard.decided(ask.key(i));
                }
                ask.answerEach(part -> Outcome.of(answers.get(part).verdicts().get(0)));
            }
            return failure;
        }

        /** The call could not be made. */
        void failed(Throwable error) {
            if (ended.compareAndSet(false, true)) {
                end(BackendFailures.ofCall(ask.key(), error));
            }
        }

        private void end(LimiterBackendException failure) {
            guard.ended(List.of(ask), failure, true, closed ? null : (again, pause) -> startAgain(ask, pause, failure));
        }
    }
}
