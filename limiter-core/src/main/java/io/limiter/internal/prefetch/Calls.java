package io.limiter.internal.prefetch;

import java.util.concurrent.CompletableFuture;

/** The calls of one key that have begun. Safe for use by multiple threads. */
final class Calls {

    private CompletableFuture<Void> all = CompletableFuture.completedFuture(null);

    /** Begins one, which the caller completes. */
    synchronized CompletableFuture<Void> begin() {
        CompletableFuture<Void> call = new CompletableFuture<>();
        all = CompletableFuture.allOf(all, call);
        return call;
    }

    /** Completed when all that have begun by now are. */
    synchronized CompletableFuture<Void> all() {
        return all;
    }
}
