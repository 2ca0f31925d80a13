package io.limiter.redis;

import io.limiter.BackendState;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.local.LocalLimiters;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.statistics.Observers;
import io.limiter.internal.waiting.Waits;
import java.time.Instant;

/** Limiters as a factory over Redis builds them, which decide in this process. */
final class LocalRedisLimiters extends LocalLimiters {

    private final BackendState state = BackendState.of(true, Instant.now(), null);

    /** @param decides whose permits they take */
    LocalRedisLimiters(RedisRateLimiterFactory.Builder settings, LocalLimiters decides) {
        super(
                decides,
                settings.maxCachedLimiters,
                settings.namespace,
                settings.failurePolicy,
                Observers.of(settings.observers),
                new ListenerNotifier(settings.listeners));
    }

    /** There is no backend that could be down. */
    BackendState backendState() {
        return state;
    }

    @Override
    protected RateLimiter newRateLimiter(KeySpace keys, TokenBucket limit, Failover onEngine, Waits waiting) {
        return new EngineRedisRateLimiter(keys, limit, onEngine, waiting);
    }
}
