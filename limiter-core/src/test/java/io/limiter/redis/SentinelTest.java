package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.testing.TestSentinel;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/** A master behind a Sentinel, with both clients. */
class SentinelTest {

    @RegisterExtension
    static final Resources RESOURCES = Resources.ofClass();

    private static RedisConnectionFactory lettuce;
    private static RedisConnectionFactory jedis;

    @BeforeAll
    static void start() {
        TestSentinel sentinel = RESOURCES.closing(TestSentinel.start());
        RedisSentinelConfiguration where =
                new RedisSentinelConfiguration().master(sentinel.master()).sentinel("127.0.0.1", sentinel.port());
        lettuce = RESOURCES.lettuce(where);
        jedis = RESOURCES.jedis(where);
    }

    @Test
    void lettuce_and_jedis_share_a_limit() {
        for (String name : List.of("a", "b")) {
            assertThat(limiter(lettuce, name).tryAcquire(3)).isTrue();
            assertThat(limiter(jedis, name).tryAcquire(3)).isFalse();
            assertThat(limiter(jedis, name).tryAcquire(2)).isTrue();
            assertThat(limiter(lettuce, name).tryAcquire()).isFalse();
        }
    }

    @Test
    void lettuce_and_jedis_share_leases() {
        SharedLeases.check(lettuce, jedis, "holding:");
    }

    private static RateLimiter limiter(RedisConnectionFactory connections, String name) {
        LimiterFactory limiters = RedisFixture.builder(connections).build();
        return limiters.build(name, 1.0 / 60, 300, 60);
    }
}
