package io.limiter.redis;

import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.InOrderContract;
import io.limiter.testing.TestClock;
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
            return redis.scriptBackend();
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
            return redis.lockBackend();
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
