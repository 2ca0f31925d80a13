package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterListener;
import io.limiter.algorithm.Decision.Source;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Concurrently;
import io.limiter.testing.MuteProxy;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.TestCluster;
import io.limiter.testing.TestSentinel;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis that is back after an outage is found without the client's help: Lettuce would wait for longer than a test does
 * before it connects again, as it does after a long outage.
 */
class RecoveryTest {

    private static final Duration RECONNECT_DELAY = Duration.ofMinutes(2);
    private static final Duration PATIENCE = RECONNECT_DELAY.dividedBy(4);

    private final ClientResources resources = DefaultClientResources.builder()
            .reconnectDelay(Delay.constant(RECONNECT_DELAY))
            .build();
    private final AtomicInteger outages = new AtomicInteger();
    private AutoCloseable servers = () -> {};
    private RedisConnectionFactory connections;

    /** The client, and how it knows where Redis is. */
    enum Setup {
        LETTUCE,
        LETTUCE_SENTINEL,
        LETTUCE_MASTER_AND_REPLICAS,
        LETTUCE_CLUSTER,
        JEDIS,
        JEDIS_SENTINEL,
        JEDIS_CLUSTER
    }

    @AfterEach
    void end() throws Exception {
        ((DisposableBean) connections).destroy();
        servers.close();
        resources.shutdown(0, 0, TimeUnit.SECONDS).await();
    }

    @ParameterizedTest
    @EnumSource
    void after_refused_connections(Setup setup) throws Exception {
        Server server = start(setup);
        try (RedisRateLimiterFactory factory = factory()) {
            Limiter limiter = limiter(factory);
            for (int outage = 0; outage < 2; outage++) {
                server.kill().run();
                awaitPolicy(limiter);
                server.startAgain().start();
                awaitRedis(limiter);
            }
        }
    }

    @Test
    void over_a_connection_that_is_open_and_dead() throws Exception {
        RedisProcess redis = RedisProcess.start();
        servers = redis;
        try (MuteProxy proxy = MuteProxy.to(redis.port())) {
            connections = connect(Setup.LETTUCE, new RedisStandaloneConfiguration("127.0.0.1", proxy.port()));
            try (RedisRateLimiterFactory factory = factory()) {
                Limiter limiter = limiter(factory);
                proxy.forgetConnections();
                awaitPolicy(limiter);
                awaitRedis(limiter);
            }
        }
    }

    @Test
    void a_connection_opened_by_a_probe_replaces_the_last_one_and_is_closed_with_the_limiters() throws Exception {
        Server server = start(Setup.LETTUCE);
        int port = ((LettuceConnectionFactory) connections).getPort();
        try (RedisRateLimiterFactory factory = factory()) {
            Limiter limiter = limiter(factory);
            for (int outage = 0; outage < 3; outage++) {
                server.kill().run();
                awaitPolicy(limiter);
                server.startAgain().start();
                awaitRedis(limiter);
            }
            Concurrently.run(8, () -> limiter.decide(1));
            // Apart from the one that asks.
            awaitClients(port, 1);
        }
        awaitClients(port, 0);
    }

    private static void awaitClients(int port, int clients) {
        RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> connection.sync().clientList().lines().count() == clients + 1L);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private RedisRateLimiterFactory factory() {
        return RedisRateLimiterFactory.builder(connections)
                .failurePolicy(FailurePolicy.ALLOW)
                .rejectionCacheSize(0)
                .listener(new LimiterListener() {
                    @Override
                    public void backendDown(String node, LimiterBackendException cause) {
                        outages.incrementAndGet();
                    }
                })
                .build();
    }

    private static Limiter limiter(RedisRateLimiterFactory factory) {
        Limiter limiter = factory.build("k", FixedWindow.of(1_000_000, Duration.ofDays(1)));
        awaitRedis(limiter);
        return limiter;
    }

    private static void awaitRedis(Limiter limiter) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> limiter.decide(1).source() == Source.BACKEND);
    }

    /** Until the circuit breaker has opened, so that callers send nothing. */
    private void awaitPolicy(Limiter limiter) {
        int before = outages.get();
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> {
            assertThat(limiter.decide(1).granted()).isTrue();
            return outages.get() > before;
        });
    }

    private record Server(Runnable kill, Start startAgain) {}

    private interface Start {
        void start() throws IOException;
    }

    private Server start(Setup setup) {
        return switch (setup) {
            case LETTUCE_CLUSTER, JEDIS_CLUSTER -> {
                TestCluster cluster = TestCluster.start(2, "--cluster-require-full-coverage", "no");
                servers = cluster;
                connections = connect(setup, new RedisClusterConfiguration(cluster.nodes()));
                String node = cluster.nodeOf("k");
                yield new Server(() -> cluster.kill(node), () -> cluster.startAgain(node));
            }
            case LETTUCE_SENTINEL, JEDIS_SENTINEL -> {
                TestSentinel sentinel = TestSentinel.start();
                servers = sentinel;
                connections = connect(
                        setup,
                        new RedisSentinelConfiguration()
                                .master(sentinel.master())
                                .sentinel("127.0.0.1", sentinel.port()));
                yield new Server(sentinel.server()::kill, sentinel.server()::startAgain);
            }
            case LETTUCE, JEDIS, LETTUCE_MASTER_AND_REPLICAS -> {
                RedisProcess redis = RedisProcess.start();
                servers = redis;
                connections = connect(
                        setup,
                        setup == Setup.LETTUCE_MASTER_AND_REPLICAS
                                ? new RedisStaticMasterReplicaConfiguration("127.0.0.1", redis.port())
                                : new RedisStandaloneConfiguration("127.0.0.1", redis.port()));
                yield new Server(redis::kill, redis::startAgain);
            }
        };
    }

    private RedisConnectionFactory connect(Setup setup, RedisConfiguration where) {
        if (setup.name().startsWith("JEDIS")) {
            JedisConnectionFactory jedis = where instanceof RedisClusterConfiguration cluster
                    ? new JedisConnectionFactory(cluster)
                    : where instanceof RedisSentinelConfiguration sentinel
                            ? new JedisConnectionFactory(sentinel)
                            : new JedisConnectionFactory((RedisStandaloneConfiguration) where);
            jedis.afterPropertiesSet();
            jedis.start();
            return jedis;
        }
        LettuceConnectionFactory lettuce = new LettuceConnectionFactory(
                where,
                LettuceClientConfiguration.builder()
                        .clientResources(resources)
                        .shutdownTimeout(Duration.ZERO)
                        .build());
        lettuce.afterPropertiesSet();
        lettuce.start();
        return lettuce;
    }
}
