package io.limiter.internal.resilience;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.KeyRequests;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.Pending;
import io.limiter.internal.engine.PendingDecision;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.engine.PendingSet;
import io.limiter.internal.time.BlockingCalls;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Decides each request or limit set by a call of its own, under a {@link Guard}. */
public final class UnbatchedEngine implements Engine {

    private final Backend backend;
    private final Executor blockingCalls;
    private final Guard guard;

    /**
     * @param blockingCalls runs calls that block
     */
    public UnbatchedEngine(Backend backend, Executor blockingCalls, Guard guard) {
        this.backend = backend;
        this.blockingCalls = blockingCalls;
        this.guard = guard;
    }

    @Override
    public void decide(PendingDecision<?> pending) {
        BoundedCall.start(guard, pending, () -> call(pending), decisions -> {
            for (int i = 0; i < pending.size(); i++) {
                if (decisions.get(i) != null) {
                    guard.decided(pending.key(i));
                }
            }
            pending.decided(decisions::get);
        });
    }

    private CompletableFuture<List<@Nullable Decision>> call(PendingDecision<?> pending) {
        if (!backend.blocks()) {
            return start(pending, pending::send);
        }
        return blocking(pending.key(), () -> {
            checkPending(pending);
            connect(pending.key());
            checkPending(pending);
            return AsyncFailures.join(start(pending, pending::send));
        });
    }

    /** What has ended while it waited for a thread must not cost a connection or a lock. */
    private static void checkPending(Pending<?> pending) {
        if (pending.isEnding()) {
            throw withdrawn(pending);
        }
    }

    private static LimiterBackendException withdrawn(Pending<?> pending) {
        return BackendFailures.notExecuted(pending.key(), "it was withdrawn");
    }

    /** First: requests can be withdrawn while the connection is made. */
    private void connect(String key) {
        try {
            backend.connect();
        } catch (RuntimeException e) {
            throw backend.notConnected(key, e);
        }
    }

    private CompletableFuture<List<@Nullable Decision>> start(PendingDecision<?> pending, BooleanSupplier send) {
        return pending instanceof PendingSet set
                ? backend.startSet(set.parts(), send)
                : backend.start(List.of(KeyRequests.of((PendingRequest) pending)), send)
                        .thenApply(answers -> List.copyOf(answers.get(0).decisions()));
    }

    private <A> CompletableFuture<A> blocking(String key, Supplier<A> call) {
        return BlockingCalls.start(blockingCalls, key, call);
    }

    /** Within the decision timeout. */
    @Override
    public void reset(String key) {
        Pending<String> pending = new Pending<>(key, null);
        BoundedCall.start(
                guard,
                pending,
                () -> blocking(key, () -> {
                    if (!pending.send()) {
                        throw withdrawn(pending);
                    }
                    backend.reset(key);
                    return key;
                }),
                pending::answer);
        pending.await();
    }

    @Override
    public void close() {
        backend.close();
    }
}
