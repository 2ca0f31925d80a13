package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.testing.TestSentinel;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A master behind a Sentinel, with both clients. */
class SentinelTest {

    private static TestSentinel sentinel;

    @BeforeAll
    static void start() {
        sentinel = TestSentinel.start();
    }

    @AfterAll
    static void stop() {
        sentinel.close();
    }

    @Test
    void lettuce_and_jedis_share_a_limit() {
        withBoth((lettuce, jedis) -> {
            for (String name : List.of("a", "b")) {
                assertThat(limiter(lettuce, name).tryAcquire(3)).isTrue();
                assertThat(limiter(jedis, name).tryAcquire(3)).isFalse();
                assertThat(limiter(jedis, name).tryAcquire(2)).isTrue();
                assertThat(limiter(lettuce, name).tryAcquire()).isFalse();
            }
        });
    }

    @Test
    void lettuce_and_jedis_share_leases() {
        withBoth((lettuce, jedis) -> HoldingSets.check(lettuce, jedis, "holding:"));
    }

    private static void withBoth(BiConsumer<RedisConnectionFactory, RedisConnectionFactory> test) {
        LettuceConnectionFactory lettuce = new LettuceConnectionFactory(configuration());
        JedisConnectionFactory jedis = new JedisConnectionFactory(configuration());
        lettuce.afterPropertiesSet();
        lettuce.start();
        jedis.afterPropertiesSet();
        jedis.start();
        try {
            test.accept(lettuce, jedis);
        } finally {
            jedis.destroy();
            lettuce.destroy();
        }
    }

    private static RateLimiter limiter(RedisConnectionFactory connections, String name) {
        LimiterFactory limiters = RedisFixture.builder(connections).build();
        return limiters.build(name, 1.0 / 60, 300, 60);
    }

    private static RedisSentinelConfiguration configuration() {
        return new RedisSentinelConfiguration().master(sentinel.master()).sentinel("127.0.0.1", sentinel.port());
    }
}
