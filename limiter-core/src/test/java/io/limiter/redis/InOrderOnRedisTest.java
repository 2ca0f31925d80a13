package io.limiter.redis;

import com.google.common.base.Ticker;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.InOrderContract;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.redis.lock.LockBackend;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.testing.Patience;
import io.limiter.testing.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/** On both backends over a real Redis: the lock engine, and the script engine as in a Cluster of several slots. */
class InOrderOnRedisTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Nested
    class InScripts extends InOrderContract {

        @Override
        protected Backend backend() {
            return new ScriptBackend(
                    RedisFixture.calls(RedisFixture.connections()), redis.clockLua(), new KnownRejections(0));
        }

        @Override
        protected TestClock clock() {
            return redis.clock();
        }

        @Override
        protected String key(String name) {
            return redis.prefix() + name;
        }
    }

    @Nested
    class UnderALock extends InOrderContract {

        @Override
        protected Backend backend() {
            return new LockBackend(
                    RedisFixture.calls(RedisFixture.connections()),
                    new RedisLock(RedisFixture.connections()),
                    Duration.ofSeconds(5),
                    Patience.DECISION_TIMEOUT,
                    redis.clockLua(),
                    Ticker.systemTicker(),
                    new KnownRejections(0));
        }

        @Override
        protected TestClock clock() {
            return redis.clock();
        }

        @Override
        protected String key(String name) {
            return redis.prefix() + name;
        }
    }
}
