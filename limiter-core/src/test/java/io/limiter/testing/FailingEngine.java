package io.limiter.testing;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.local.LocalEngine;
import io.limiter.step.Request;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** An engine that fails some actions, at first all, and decides the others. */
public final class FailingEngine implements Engine {

    /** How many charges it got, also those that failed. */
    public final AtomicInteger charges = new AtomicInteger();

    public volatile Set<Request.Action> failing = EnumSet.allOf(Request.Action.class);

    /** The failure of a key. */
    public volatile Function<String, LimiterBackendException> failure =
            key -> BackendFailures.notExecuted(key, "it fails");

    private final LocalEngine engine = new LocalEngine();

    @Override
    public void decide(Ask ask) {
        Request.Action action = ask.request(0).action();
        if (action == Request.Action.CHARGE) {
            charges.incrementAndGet();
        }
        if (failing.contains(action)) {
            ask.fail(failure.apply(ask.key()), Runnable::run);
        } else {
            engine.decide(ask);
        }
    }

    @Override
    public CompletableFuture<Void> reset(String key) {
        return failing.isEmpty() ? engine.reset(key) : CompletableFuture.failedFuture(failure.apply(key));
    }
}
