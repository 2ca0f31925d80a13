package io.limiter.internal.local;

import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.resilience.Failover;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.concurrent.CompletableFuture;

/** Grants everything and stores no state. */
final class UnlimitedEngine implements ImmediateEngine {

    @Override
    public void decide(Ask ask) {
        ask.answerEach(part -> Failover.granted(ask.limit(part), ask.request(part)));
    }

    @Override
    public Outcome decide(String key, LimitStep<?> limit, Request request) {
        return Failover.granted(limit, request);
    }

    @Override
    public CompletableFuture<Void> reset(String key) {
        // There is nothing to forget.
        return CompletableFuture.completedFuture(null);
    }
}
