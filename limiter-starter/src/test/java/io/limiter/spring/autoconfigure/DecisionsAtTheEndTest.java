package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.limiter.Lease;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.spring.Contexts;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;

/** Beans that use limiters while the application destroys them, when everything with a lifecycle has stopped. */
class DecisionsAtTheEndTest {

    private static RedisProcess redis;
    private static RedisClient client;
    private static StatefulRedisConnection<String, String> connection;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
        client = RedisClient.create("redis://127.0.0.1:" + redis.port());
        connection = client.connect();
    }

    @AfterAll
    static void stop() {
        client.shutdown();
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.data.redis.lettuce.pool.enabled=true",
                "spring.data.redis.lettuce.pool.enabled=false",
                "spring.data.redis.client-type=jedis",
                "limiter.engine=lock"
            })
    void redis_decides_and_releases_leases(String option) {
        connection.sync().flushall();
        assertThat(lastDecision(option).source()).isEqualTo(Decision.Source.BACKEND);
        // The only permit was released, or this would fail.
        assertThat(lastDecision(option).source()).isEqualTo(Decision.Source.BACKEND);
        Eventually.that(() -> assertThat(connection.sync().clientList().lines()).hasSize(1));
    }

    private static Decision lastDecision(String option) {
        AtomicReference<Decision> last = new AtomicReference<>();
        Contexts.plain()
                .withConfiguration(Contexts.redis())
                .withPropertyValues(
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + redis.port(),
                        "limiter.failure.decision-timeout=1m",
                        option)
                .withBean(Ending.class, last)
                .run(context -> context.getBean(Ending.class).begin());
        return last.get();
    }

    /** Holds a lease until it is destroyed. */
    static final class Ending implements DisposableBean {

        private final LimiterFactory limiters;
        private final AtomicReference<Decision> last;
        private Lease lease;

        Ending(LimiterFactory limiters, AtomicReference<Decision> last) {
            this.limiters = limiters;
            this.last = last;
        }

        void begin() {
            lease = limiters.build("jobs", ConcurrencyLimit.of(1)).tryAcquire().orElseThrow();
        }

        @Override
        public void destroy() {
            lease.close();
            last.set(limiters.build("flush", 1, 1, 60).decide(1));
        }
    }
}
