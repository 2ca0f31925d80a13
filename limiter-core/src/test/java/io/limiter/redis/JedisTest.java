package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimitSet;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.testing.Eventually;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** The whole contract over Jedis instead of Lettuce, with batches and without a cache of rejections. */
class JedisTest extends RedisEngineContract {

    private final JedisConnectionFactory jedis = RedisFixture.jedis();

    @Override
    protected LimiterFactory build() {
        return RedisFixture.builder(jedis)
                .clock(redis.clockLua(), redis.clock())
                .sleeper(redis.clock())
                .rejectionCacheSize(0)
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()));
    }

    @Test
    void a_flushed_script_is_loaded_again() {
        RateLimiter limiter = limiters().build("k", 1, 2, 60);
        RedisFixture.commands().scriptFlush();
        assertThat(limiter.tryAcquire()).isTrue();
        RedisFixture.commands().scriptFlush();
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
    }

    @Test
    void jedis_and_lettuce_share_leases() {
        SharedLeases.check(jedis, RedisFixture.connections(), redis.prefix());
        SharedLeases.check(RedisFixture.connections(), jedis, redis.prefix());
    }

    @Test
    void light_traffic_needs_few_threads() {
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        RateLimiter limiter = limiters().build("k", 1000, 1000, 60);
        RateLimiter other = limiters().build("other", 1000, 1000, 60);
        for (int i = 0; i < 100; i++) {
            // A thread that has answered and is not idle yet would be no use to the next call.
            Eventually.that(() -> assertThat(blockingThreads(others))
                    .allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
            assertThat(limiter.tryAcquire("k" + i)).isTrue();
            assertThat(LimitSet.of(limiter.on("{k" + i + "}"))
                            .and(other.on("{k" + i + "}"))
                            .decide()
                            .isGranted())
                    .isTrue();
        }
        assertThat(blockingThreads(others)).hasSizeLessThan(BlockingCalls.MAX_THREADS / 4);
    }

    private static List<Thread> blockingThreads(Set<Thread> others) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("limiter-blocking-") && !others.contains(thread))
                .toList();
    }

    @Test
    void an_error_names_the_key() {
        redis.expectForeignValues();
        RedisFixture.commands().lpush(redis.prefix() + "{k}", new byte[] {1});
        RateLimiter limiter = limiters().build("k", 1, 2, 60);
        assertThatThrownBy(limiter::tryAcquire)
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining(redis.prefix() + "{k}")
                .hasMessageContaining("WRONGTYPE");
    }
}
