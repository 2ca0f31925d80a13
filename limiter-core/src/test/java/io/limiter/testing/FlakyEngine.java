package io.limiter.testing;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.KeySpace;
import io.limiter.step.Request;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** An engine that can fail, lose answers and be slow. */
public final class FlakyEngine implements ImmediateEngine {

    private final SteppingEngine engine;
    public final AtomicInteger calls = new AtomicInteger();
    public final List<Request> requests = new CopyOnWriteArrayList<>();
    public boolean failing;
    public boolean losesAnswers;
    public Runnable beforeDecision = () -> {};
    public Runnable afterDecision = () -> {};

    public FlakyEngine(SteppingEngine engine) {
        this.engine = engine;
    }

    @Override
    public void decide(Ask pending) {
        Ask one = (Ask) pending;
        calls.incrementAndGet();
        requests.add(one.request(0));
        if (failing) {
            fail(one, BackendFailures.notExecuted(one.key(), "failing"));
            return;
        }
        Outcome decision;
        try {
            beforeDecision.run();
            decision =
                    Ask.start(engine, one.key(), one.limit(0), one.request(0)).await();
            afterDecision.run();
        } catch (LimiterBackendException e) {
            fail(one, e);
            return;
        }
        if (losesAnswers && one.request(0).action() == Request.Action.TAKE) {
            fail(one, BackendFailures.ambiguous(one.key(), "no answer", new IllegalStateException()));
        } else {
            one.answer(decision);
        }
    }

    private static void fail(Ask pending, LimiterBackendException failure) {
        pending.fail(failure, Runnable::run);
    }

    @Override
    public CompletableFuture<Void> reset(String key) {
        if (failing) {
            return CompletableFuture.failedFuture(BackendFailures.notExecuted(key, "failing"));
        }
        return engine.reset(key);
    }

    /** As if all holders of the limiter's own permits had been deleted by hand. */
    public void forget(ConcurrencyLimit limit) {
        engine.forget(new KeySpace("", "k", limit.keySuffix()).own());
    }
}
