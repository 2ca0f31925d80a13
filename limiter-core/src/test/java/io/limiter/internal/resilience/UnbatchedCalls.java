package io.limiter.internal.resilience;

import io.limiter.internal.engine.Pending;
import io.limiter.testing.HandEngine;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Calls of anything, in the time of a decision. */
final class UnbatchedCalls {

    private UnbatchedCalls() {}

    static <T> Pending<T> start(Guard guard, String key, Supplier<CompletableFuture<T>> call) {
        return start(engine(guard), key, call);
    }

    static UnbatchedEngine engine(Guard guard) {
        return new UnbatchedEngine(new HandEngine(), Runnable::run, guard);
    }

    static <T> Pending<T> start(UnbatchedEngine engine, String key, Supplier<CompletableFuture<T>> call) {
        Pending<T> pending = new Pending<>(key, null);
        engine.<T>start(
                pending,
                ended -> {
                    pending.markSent();
                    call.get().whenComplete(ended);
                },
                pending::complete);
        return pending;
    }
}
