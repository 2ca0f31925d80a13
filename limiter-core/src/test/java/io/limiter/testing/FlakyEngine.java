package io.limiter.testing;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.key.KeySpace;
import io.limiter.spi.Answer;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** One that can fail, lose answers and take its time. */
public final class FlakyEngine implements Engine {

    private final SteppingEngine engine;
    public final AtomicInteger calls = new AtomicInteger();
    public List<KeyRequests<?>> lastBatch = List.of();
    public boolean failing;
    public boolean losesAnswers;
    public Runnable beforeDecision = () -> {};
    public Runnable afterDecision = () -> {};

    public FlakyEngine(SteppingEngine engine) {
        this.engine = engine;
    }

    @Override
    public List<Answer> decide(List<KeyRequests<?>> batch) {
        calls.incrementAndGet();
        lastBatch = batch;
        String key = batch.get(0).key();
        if (failing) {
            return batch.stream()
                    .map(asked -> Answer.failed(new LimiterBackendException(asked.key(), "failing")))
                    .toList();
        }
        beforeDecision.run();
        List<Answer> answers = engine.decide(batch);
        afterDecision.run();
        boolean take = batch.get(0).requests().get(0).action() == Request.Action.TAKE;
        return losesAnswers && take
                ? List.of(
                        Answer.failed(new LimiterBackendException(key, "no answer", new IllegalStateException(), true)))
                : answers;
    }

    @Override
    public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
        try {
            return CompletableFuture.completedFuture(decide(key, limit, request));
        } catch (LimiterBackendException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void reset(String key) {
        if (failing) {
            throw new LimiterBackendException(key, "failing");
        }
        engine.reset(key);
    }

    /** As if all holders of the limiter's own permits had been deleted by hand. */
    public void forget(ConcurrencyLimit limit) {
        engine.forget(new KeySpace("", "k", limit.keySuffix()).own());
    }
}
