package io.limiter.benchmark.inprocess;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.cache.RejectionCache;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.CacheBounds;
import io.limiter.internal.limiter.EngineLimiter;
import io.limiter.internal.limiter.EngineLimiterFactory;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.prefetch.Prefetch;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.Answer;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Limiters with all that stands before Redis, and in its place the same steps in this process. */
final class SteppingLimiters extends EngineLimiterFactory {

    private final Engine engine;

    SteppingLimiters() {
        super(CacheBounds.DEFAULT);
        KnownRejections denials = new KnownRejections(KnownRejections.DEFAULT_SIZE);
        this.engine = new Prefetch(new RejectionCache(denials, new Stepping(denials)), Sleeper.UNINTERRUPTIBLE);
    }

    @Override
    public void close() {
        engine.close();
    }

    @Override
    protected RateLimiter newRateLimiter(KeySpace keys, TokenBucket limit, FailurePolicy policy) {
        return new EngineRateLimiter(keys, limit, engine, Sleeper.UNINTERRUPTIBLE);
    }

    @Override
    protected Limiter newLimiter(KeySpace keys, Limit<?> limit, FailurePolicy policy) {
        return new EngineLimiter<>(keys, limit, engine);
    }

    @Override
    protected ConcurrencyLimiter newConcurrencyLimiter(KeySpace keys, ConcurrencyLimit limit, FailurePolicy policy) {
        throw new UnsupportedOperationException("no benchmark holds permits");
    }

    private static final class Stepping implements Engine {

        private final KnownRejections denials;
        private final Map<String, Object> states = new HashMap<>();

        Stepping(KnownRejections denials) {
            this.denials = denials;
        }

        @Override
        public synchronized List<Answer> decide(List<KeyRequests<?>> batch) {
            List<Answer> answers = new ArrayList<>(batch.size());
            for (KeyRequests<?> asked : batch) {
                answers.add(decide(asked));
            }
            return answers;
        }

        @Override
        public synchronized void reset(String key) {
            states.remove(key);
        }

        private <S> Answer decide(KeyRequests<S> asked) {
            long sentNanos = denials.readNanos();
            long nowMicros = System.currentTimeMillis() * 1000;
            S state = asked.limit().stateType().cast(states.get(asked.key()));
            List<Decision> decisions = new ArrayList<>(1);
            for (Request request : asked.requests()) {
                Step<S> step = asked.limit().step(state, nowMicros, request);
                state = step.state();
                decisions.add(step.decision());
            }
            states.put(asked.key(), state);
            denials.decided(asked, decisions, state, nowMicros, sentNanos);
            return Answer.of(decisions);
        }

        @Override
        public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
            return CompletableFuture.completedFuture(decide(key, limit, request));
        }
    }
}
