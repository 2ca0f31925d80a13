package io.limiter.internal.resilience;

import io.limiter.internal.engine.Pending;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Calls of anything, in the time of a decision. */
final class BoundedCalls {

    private BoundedCalls() {}

    static <T> Pending<T> start(Guard guard, String key, Supplier<CompletableFuture<T>> call) {
        Pending<T> pending = new Pending<>(key, null);
        BoundedCall.start(
                guard,
                pending,
                () -> {
                    pending.send();
                    return call.get();
                },
                pending::complete);
        return pending;
    }
}
