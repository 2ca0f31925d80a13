package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
import io.limiter.engine.Answer;
import io.limiter.engine.Denials;
import io.limiter.engine.KeyRequests;
import io.limiter.testing.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A Cluster of three masters, through both clients. */
class ClusterTest {

    private static final List<RedisConnectionFactory> CONNECTIONS = new ArrayList<>();
    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = TestCluster.start(3);
        RedisClusterConfiguration configuration = new RedisClusterConfiguration(cluster.nodes());
        LettuceConnectionFactory lettuce = new LettuceConnectionFactory(configuration);
        lettuce.afterPropertiesSet();
        lettuce.start();
        JedisConnectionFactory jedis = new JedisConnectionFactory(configuration);
        jedis.afterPropertiesSet();
        jedis.start();
        CONNECTIONS.add(lettuce);
        CONNECTIONS.add(jedis);
    }

    @AfterAll
    static void stop() throws Exception {
        for (RedisConnectionFactory connections : CONNECTIONS) {
            ((DisposableBean) connections).destroy();
        }
        cluster.close();
    }

    static List<RedisConnectionFactory> connections() {
        return CONNECTIONS;
    }

    @ParameterizedTest
    @MethodSource("connections")
    void keys_on_every_master_are_limited(RedisConnectionFactory connections) {
        LimiterFactory limiters =
                RedisRateLimiterFactory.builder(connections).build().withPrefix(prefix(connections));
        limitsManyKeys(limiters);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void the_lock_engine_too(RedisConnectionFactory connections) {
        LimiterFactory limiters = RedisRateLimiterFactory.builder(connections)
                .lock(new RedisLock(connections))
                .build()
                .withPrefix("lock-" + prefix(connections));
        limitsManyKeys(limiters);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void a_batch_is_decided_wherever_its_keys_are(RedisConnectionFactory connections) {
        ScriptEngine engine = new ScriptEngine(
                new RedisCalls(connections), LuaScript.resource("clock.lua"), new Denials(0), Runnable::run);
        List<Request> requests = List.of(new Request(1, 0, false), new Request(1, 0, false));
        List<KeyRequests<?>> batch = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            batch.add(new KeyRequests<>(prefix(connections) + "{b" + i + "}", TokenBucket.of(0.1, 10), requests));
            batch.add(new KeyRequests<>(
                    prefix(connections) + "{w" + i + "}", new FixedWindow(1, Duration.ofMinutes(1)), requests));
        }
        for (Answer answer : engine.decide(batch)) {
            assertThat(answer.decisions().get(0).granted()).isTrue();
            assertThat(answer.decisions().get(1).granted()).isFalse();
        }
    }

    private static void limitsManyKeys(LimiterFactory limiters) {
        RateLimiter limiter = limiters.build("sms", 0.1, 10, 60);
        for (int i = 0; i < 50; i++) {
            assertThat(limiter.tryAcquire("user" + i)).isTrue();
            assertThat(limiter.tryAcquire("user" + i)).isFalse();
        }
    }

    private static String prefix(RedisConnectionFactory connections) {
        return connections.getClass().getSimpleName() + ":";
    }
}
