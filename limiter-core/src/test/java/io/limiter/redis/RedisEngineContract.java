package io.limiter.redis;

import io.limiter.EngineContract;
import io.limiter.LimiterFactory;
import io.limiter.internal.key.KeySpace;
import io.limiter.testing.Patience;
import io.limiter.testing.TestClock;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract on a real Redis. */
abstract class RedisEngineContract extends EngineContract {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private @Nullable LimiterFactory limiters;

    /** A factory on the engine under test. */
    abstract LimiterFactory build();

    @Override
    protected final LimiterFactory limiters() {
        if (limiters == null) {
            limiters = build();
        }
        return limiters;
    }

    /** Requests of callers that have given up may still take a lock; they do so within a few pauses of the lock. */
    final void awaitNoLock() {
        Awaitility.await()
                .atMost(Patience.DECISION_TIMEOUT)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .during(Duration.ofMillis(100))
                .until(() -> redis.keys().stream().noneMatch(key -> key.endsWith(KeySpace.LOCK)));
    }

    @Override
    protected final TestClock clock() {
        return redis.clock();
    }
}
