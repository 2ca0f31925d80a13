package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterBackendDownEvent;
import io.limiter.LimiterListener;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis that is back after an outage is found without the client's help: Lettuce would wait for longer than a test does
 * before it connects again, as it does after a long outage.
 */
@Execution(ExecutionMode.CONCURRENT)
class RecoveryTest {

    private static final Duration RECONNECT_DELAY = Duration.ofMinutes(2);
    private static final Duration PATIENCE = RECONNECT_DELAY.dividedBy(4);

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final ClientResources slowToReconnect = DefaultClientResources.builder()
            .reconnectDelay(Delay.constant(RECONNECT_DELAY))
            .build();
    private final AtomicInteger outages = new AtomicInteger();
    private RedisConnectionFactory connections;

    /** The client, and how it knows where Redis is. */
    enum Client {
        LETTUCE,
        LETTUCE_SENTINEL,
        LETTUCE_MASTER_AND_REPLICAS,
        LETTUCE_CLUSTER,
        JEDIS,
        JEDIS_SENTINEL,
        JEDIS_CLUSTER
    }

    RecoveryTest() {
        resources.closing(() -> slowToReconnect.shutdown(0, 0, TimeUnit.SECONDS).await());
    }

    @ParameterizedTest
    @EnumSource
    void after_refused_connections(Client client) throws Exception {
        Server server = start(client);
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
    void over_a_connection_that_is_open_and_dead() {
        MuteProxy proxy = resources.proxyTo(resources.redis().port());
        connections = connect(Client.LETTUCE, Resources.at(proxy.port()));
        try (RedisRateLimiterFactory factory = factory()) {
            Limiter limiter = limiter(factory);
            proxy.forgetConnections();
            awaitPolicy(limiter);
            awaitRedis(limiter);
        }
    }

    @Test
    void a_connection_opened_by_a_probe_replaces_the_last_one_and_is_closed_with_the_limiters() throws Exception {
        Server server = start(Client.LETTUCE);
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
            // Apart from the one that reads the list.
            awaitClients(port, 1);
        }
        awaitClients(port, 0);
    }

    private static void awaitClients(int port, int clients) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> Resources.commands(port, RedisCommands::clientList)
                                .lines()
                                .count()
                        == clients + 1L);
    }

    private RedisRateLimiterFactory factory() {
        return RedisRateLimiterFactory.builder(connections)
                .failurePolicy(FailurePolicy.ALLOW)
                .rejectionCacheSize(0)
                .listener(new LimiterListener() {
                    @Override
                    public void onBackendDown(LimiterBackendDownEvent event) {
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
        AwaitedDecision.by(Source.BACKEND, () -> limiter.decide(1));
    }

    /** Until the circuit breaker has opened, so that callers send nothing. */
    private void awaitPolicy(Limiter limiter) {
        int before = outages.get();
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> {
            assertThat(limiter.decide(1).isGranted()).isTrue();
            return outages.get() > before;
        });
    }

    private record Server(Runnable kill, Start startAgain) {}

    private interface Start {
        void start() throws IOException;
    }

    private Server start(Client client) {
        return switch (client) {
            case LETTUCE_CLUSTER, JEDIS_CLUSTER -> {
                TestCluster cluster = resources.cluster(2, "--cluster-require-full-coverage", "no");
                connections = connect(client, new RedisClusterConfiguration(cluster.nodes()));
                String node = cluster.nodeOf("k");
                yield new Server(() -> cluster.kill(node), () -> cluster.startAgain(node));
            }
            case LETTUCE_SENTINEL, JEDIS_SENTINEL -> {
                TestSentinel sentinel = resources.closing(TestSentinel.start());
                connections = connect(
                        client,
                        new RedisSentinelConfiguration()
                                .master(sentinel.master())
                                .sentinel("127.0.0.1", sentinel.port()));
                yield new Server(sentinel.server()::kill, sentinel.server()::startAgain);
            }
            case LETTUCE, JEDIS, LETTUCE_MASTER_AND_REPLICAS -> {
                RedisProcess redis = resources.redis();
                connections = connect(
                        client,
                        client == Client.LETTUCE_MASTER_AND_REPLICAS
                                ? new RedisStaticMasterReplicaConfiguration("127.0.0.1", redis.port())
                                : Resources.at(redis.port()));
                yield new Server(redis::kill, redis::startAgain);
            }
        };
    }

    private RedisConnectionFactory connect(Client client, RedisConfiguration where) {
        return client.name().startsWith("JEDIS")
                ? resources.jedis(where)
                : resources.lettuce(
                        where,
                        LettuceClientConfiguration.builder()
                                .clientResources(slowToReconnect)
                                .shutdownTimeout(Duration.ZERO)
                                .build());
    }
}
