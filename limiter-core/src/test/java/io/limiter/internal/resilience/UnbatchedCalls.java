package io.limiter.internal.resilience;

import io.limiter.internal.engine.Pending;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Calls of anything, in the time of a decision. */
final class UnbatchedCalls {

    private UnbatchedCalls() {}

    static <T> Pending<T> start(Guard guard, String key, Supplier<CompletableFuture<T>> call) {
        Pending<T> pending = new Pending<>(key, null);
        UnbatchedCall.<T>start(
                guard,
                pending,
                ended -> {
                    pending.send();
                    call.get().whenComplete(ended);
                },
                pending::complete);
        return pending;
    }
}
