package io.limiter.redis;

import io.limiter.BackendState;
import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.FailingLimiter;
import io.limiter.FailurePolicy;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.Share;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.spi.DistributedLock;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** See {@link NullArgumentsContract}. */
class NullArgumentsTest extends NullArgumentsContract {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private RedisRateLimiterFactory factory;

    NullArgumentsTest() {
        super(
                Limiter.class,
                "io.limiter",
                "io.limiter.algorithm",
                "io.limiter.redis",
                "io.limiter.local",
                "io.limiter.spi",
                "io.limiter.step");
    }

    @Override
    protected List<Object> samples() {
        factory = redis.builder().build();
        LimiterFactory limiters = factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()));
        RateLimiter limiter = limiters.build("k", TokenBucket.perSecond(1000));
        ConcurrencyLimiter concurrency = limiters.build("k", ConcurrencyLimit.of(100));
        Decision decision = limiter.decide();
        LimiterBackendException failure = new LimiterBackendException(
                LimiterBackendException.Kind.RETRYABLE, "problem", "key", "text", null, null);
        return List.of(
                RedisFixture.connections(),
                RedisFixture.redisson(),
                factory,
                RedisRateLimiterFactory.builder(RedisFixture.connections()),
                LocalLimiterFactory.builder(),
                new LocalLimiterFactory(),
                limiter,
                limiter.async(),
                concurrency,
                concurrency.async(),
                concurrency.acquire(1, Duration.ZERO),
                limiter.reserve(1),
                LimitSet.of(limiter).reserve(1),
                LimitSet.of(limiter),
                LimitSet.of(limiter).async(),
                LimitSet.of(limiter).decide(),
                factory.statistics().totals().get(0),
                limiter.limit(),
                FixedWindow.of(1, Duration.ofSeconds(1)),
                SlidingLog.of(1, Duration.ofSeconds(1)),
                SlidingCounter.of(1, Duration.ofSeconds(1)),
                ConcurrencyLimit.of(1),
                Ban.after(1),
                List.of(1.0),
                WarmUp.of(Duration.ofSeconds(1)),
                Request.take(1, 0),
                Verdict.granted(1, 1, 0),
                decision,
                new RedisPermits(1, 1, 1, 1, 0),
                FailurePolicy.LOCAL,
                LimiterOptions.NONE,
                Share.permits(1),
                Prefetch.of(Duration.ofSeconds(1)),
                failure,
                BackendState.of(true, Instant.EPOCH, null),
                FailingLimiter.of("k", Instant.EPOCH, failure),
                new RateLimitExceededException("k", decision),
                new LimiterListener() {},
                (DistributedLock) (key, wait) -> null);
    }

    @AfterEach
    void close() {
        factory.close();
    }
}
