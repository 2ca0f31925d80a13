package io.limiter.internal.resilience;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.engine.Pending;
import io.limiter.internal.engine.PendingDecision;
import io.limiter.internal.time.BlockingCalls;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Decides each request or limit set by a call of its own, under a {@link Guard}. */
public final class UnbatchedEngine implements Engine {

    private final Backend backend;
    private final Executor blockingCalls;
    private final Guard guard;
    private final Queue<UnbatchedCall<?>> underWay = new ConcurrentLinkedQueue<>();

    /**
     * @param blockingCalls runs calls that block
     */
    public UnbatchedEngine(Backend backend, Executor blockingCalls, Guard guard) {
        this.backend = backend;
        this.blockingCalls = blockingCalls;
        this.guard = guard;
        guard.deadlines().watch(this::endOverdue);
    }

    @Override
    public void decide(PendingDecision<?> pending) {
        this.<List<Answer>>start(pending, ended -> call(pending, ended), answers -> {
            for (int i = 0; i < pending.size(); i++) {
                guard.decided(pending.key(i));
            }
            pending.decided(part -> Outcome.of(answers.get(part).verdicts().get(0)));
        });
    }

    /** See {@link UnbatchedCall}. */
    <A> void start(
            Pending<?> pending, Consumer<BiConsumer<@Nullable A, @Nullable Throwable>> call, Consumer<A> answer) {
        UnbatchedCall<A> started;
        try {
            started = new UnbatchedCall<>(guard, pending, call, answer, guard.begin(pending));
        } catch (LimiterBackendException e) {
            pending.fail(e, guard.outside());
            return;
        }
        underWay.add(started);
        guard.deadlines().ensureChecking();
        started.attempt();
    }

    private boolean endOverdue(long nowNanos) {
        underWay.removeIf(call -> call.endOverdue(nowNanos));
        return !underWay.isEmpty();
    }

    /** The number of calls whose deadlines are checked, including those completed since the last check. */
    int underWay() {
        return underWay.size();
    }

    private void call(PendingDecision<?> pending, BiConsumer<@Nullable List<Answer>, @Nullable Throwable> ended) {
        Call call = new Call(pending.parts(), pending.size() > 1, pending::markSent, answers -> {
            LimiterBackendException failure = answers.get(0).failure();
            ended.accept(failure == null ? answers : null, failure);
        });
        if (!backend.blocks()) {
            backend.start(call);
            return;
        }
        BlockingCalls.start(blockingCalls, pending.key(), () -> {
                    checkPending(pending);
                    connect(pending.key());
                    checkPending(pending);
                    backend.start(call);
                    return call;
                })
                .whenComplete((started, error) -> {
                    if (error != null) {
                        ended.accept(null, error);
                    }
                });
    }

    /** What has ended while it waited for a thread must not cost a connection or a lock. */
    private static void checkPending(Pending<?> pending) {
        if (pending.isEnding()) {
            throw BackendFailures.withdrawn(pending.key());
        }
    }

    /** First: requests can be withdrawn while the connection is made. */
    private void connect(String key) {
        try {
            backend.connect();
        } catch (RuntimeException e) {
            throw backend.notConnected(key, e);
        }
    }

    /** Within the decision timeout. The future ends on any thread, so that a caller who waits for it depends on no callback. */
    @Override
    public CompletableFuture<Void> reset(String key) {
        Pending<String> pending = new Pending<>(key, null);
        pending.markAwaited();
        this.<String>start(
                pending,
                ended -> BlockingCalls.start(blockingCalls, key, () -> {
                            if (!pending.markSent()) {
                                throw BackendFailures.withdrawn(key);
                            }
                            backend.delete(key);
                            return key;
                        })
                        .whenComplete(ended),
                pending::answer);
        return pending.thenRun(() -> {});
    }

    @Override
    public void close() {
        backend.close();
    }
}
