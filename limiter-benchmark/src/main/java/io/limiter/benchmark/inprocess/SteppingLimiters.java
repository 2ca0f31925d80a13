package io.limiter.benchmark.inprocess;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.PrefetchTerms;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Step;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.KeyRequests;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.cache.RejectionCache;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.PendingDecision;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.CacheBounds;
import io.limiter.internal.limiter.EngineLimiter;
import io.limiter.internal.limiter.EngineLimiterFactory;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.prefetch.Prefetch;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.time.Sleeper;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Limiters with all that stands before Redis, and in its place the same steps in this process. */
final class SteppingLimiters extends EngineLimiterFactory {

    private final Prefetch prefetch;
    private final Failover engine;

    SteppingLimiters() {
        super(CacheBounds.DEFAULT);
        KnownRejections denials = new KnownRejections(KnownRejections.DEFAULT_SIZE);
        this.prefetch = new Prefetch(new RejectionCache(denials, new Stepping(denials)), Sleeper.UNINTERRUPTIBLE);
        this.engine = Failover.none(prefetch);
    }

    @Override
    public void close() {
        engine.engine().close();
    }

    @Override
    protected RateLimiter newRateLimiter(
            KeySpace keys, TokenBucket limit, FailurePolicy policy, @Nullable PrefetchTerms terms) {
        Failover used = terms == null ? engine : Failover.none(prefetch.with(terms));
        return new EngineRateLimiter(keys, limit, used, Sleeper.UNINTERRUPTIBLE);
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
        public void decide(PendingDecision<?> pending) {
            PendingRequest one = (PendingRequest) pending;
            one.answer(decide(KeyRequests.of(one)));
        }

        @Override
        public synchronized void reset(String key) {
            states.remove(key);
        }

        private synchronized <S> Decision decide(KeyRequests<S> keyRequests) {
            long sentNanos = denials.readNanos();
            long nowMicros = System.currentTimeMillis() * 1000;
            S state = keyRequests.limit().stateType().cast(states.get(keyRequests.key()));
            Step<S> step = keyRequests
                    .limit()
                    .step(state, nowMicros, keyRequests.requests().get(0));
            states.put(keyRequests.key(), step.state());
            denials.decided(keyRequests, List.of(step.decision()), step.state(), nowMicros, sentNanos);
            return step.decision();
        }
    }
}
