package io.limiter.internal.local;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.PendingDecision;
import io.limiter.internal.resilience.Failover;
import java.util.concurrent.CompletableFuture;

/** Grants everything and stores no state. */
final class UnlimitedEngine implements ImmediateEngine {

    @Override
    public void decide(PendingDecision<?> pending) {
        pending.decided(part -> Failover.granted(pending.limit(part)));
    }

    @Override
    public Decision decide(String key, Limit<?> limit, Request request) {
        return Failover.granted(limit);
    }

    @Override
    public CompletableFuture<Void> reset(String key) {
        // There is nothing to forget.
        return CompletableFuture.completedFuture(null);
    }
}
