package io.limiter.testing;

import com.google.common.base.Ticker;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Call;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The simplest backend: a map, stepped under a lock. Records its rejections, as the engines over Redis do. */
public final class SteppingEngine implements ImmediateEngine, FutureBackend {

    private final Map<String, Object> states = new HashMap<>();
    private final LongSupplier clockMicros;
    private final KnownRejections rejections;
    private int requests;

    /** Without a cache of rejections. */
    public SteppingEngine(LongSupplier clockMicros) {
        this(clockMicros, new KnownRejections(0, Ticker.systemTicker()));
    }

    public SteppingEngine(LongSupplier clockMicros, KnownRejections rejections) {
        this.clockMicros = clockMicros;
        this.rejections = rejections;
    }

    /** The number of requests that reached this backend. */
    public int requests() {
        return requests;
    }

    /** Steps as another JVM would: nothing here is notified. */
    public synchronized Verdict takeElsewhere(String key, TokenBucket limit, Request request) {
        Step<RedisPermits> step = limit.step((RedisPermits) states.get(key), clockMicros.getAsLong(), request);
        states.put(key, step.state());
        return step.verdict();
    }

    /** As if the key had been deleted by hand. */
    synchronized void forget(String key) {
        states.remove(key);
    }

    @Override
    public void delete(String key) {
        forget(key);
    }

    @Override
    public CompletableFuture<Void> reset(String key) {
        forget(key);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<List<Answer>> answers(List<KeyRequests<?>> batch, BooleanSupplier send) {
        return CompletableFuture.completedFuture(decide(batch));
    }

    private synchronized List<Answer> decide(List<KeyRequests<?>> batch) {
        List<Answer> answers = new ArrayList<>(batch.size());
        for (KeyRequests<?> part : batch) {
            answers.add(decide(part));
        }
        return answers;
    }

    /** A set one part after the other. */
    @Override
    public void decide(Ask pending) {
        start(new Call(
                pending.parts(),
                pending.size() > 1,
                pending::markSent,
                answers -> pending.answerEach(
                        part -> Outcome.of(answers.get(part).verdicts().get(0)))));
    }

    @Override
    public boolean blocks() {
        return false;
    }

    @Override
    public void close() {}

    private <S> Answer decide(KeyRequests<S> part) {
        requests += part.requests().size();
        long sentNanos = rejections.readNanos();
        long nowMicros = clockMicros.getAsLong();
        S state = part.limit().stateType().cast(states.get(part.key()));
        List<Verdict> decisions = new ArrayList<>();
        for (Request request : part.requests()) {
            Step<S> step = part.limit().step(state, nowMicros, request);
            state = step.state();
            decisions.add(step.verdict());
        }
        states.put(part.key(), state);
        rejections.decided(part, decisions, state, nowMicros, sentNanos);
        return Answer.of(decisions);
    }
}
