package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.cluster.SlotHash;
import io.limiter.BackendState;
import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.key.HashTags;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.redis.client.SpringCalls;
import io.limiter.testing.TestCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** One master of a Cluster stops for a while. Clients would wait for it for two minutes. */
class ClusterOutageTest {

    private static final Duration CLIENT_TIMEOUT = Duration.ofMinutes(2);

    // More than the local fallback grants while a slow machine waits for Redis.
    private static final FixedWindow MANY = FixedWindow.of(100_000, Duration.ofDays(1));

    private static final HashTags TAGS =
            new HashTags(RedisRateLimiterFactory.Builder.DEFAULT_HASH_TAGS, SlotHash::getSlot);
    private static final KeySpace KEYS = new KeySpace("", "countLimit:", "k", MANY.keySuffix(), true, () -> TAGS);

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_policy_decides_for_keys_of_the_stopped_master_without_waiting(boolean byLettuce) throws Exception {
        TestCluster cluster = resources.cluster(3);
        RedisConnectionFactory connections = connect(byLettuce, new RedisClusterConfiguration(cluster.nodes()));
        String node = cluster.nodes().get(0);
        String process = cluster.processId(node);
        try (RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(connections)
                .failurePolicy(FailurePolicy.LOCAL)
                .build()) {
            Limiter limiter = factory.build("k", MANY);
            for (int i = 0; i < 20; i++) {
                awaitRedis(limiter, "key" + i);
            }
            List<String> unavailable = keysOn(node);
            assertThat(unavailable).isNotEmpty();
            TestCluster.signal(process, "STOP");
            long longest = 0;
            for (int i = 0; i < 50; i++) {
                for (String key : unavailable) {
                    long startNanos = System.nanoTime();
                    Decision decision = limiter.decide(key);
                    longest = Math.max(longest, System.nanoTime() - startNanos);
                    assertThat(decision.source()).isEqualTo(Source.LOCAL);
                    assertThat(decision.isGranted()).isTrue();
                }
            }
            assertThat(Duration.ofNanos(longest)).isLessThan(CLIENT_TIMEOUT.dividedBy(2));
            assertThat(factory.backendState().up()).isFalse();
            TestCluster.signal(process, "CONT");
            for (int i = 0; i < 20; i++) {
                awaitRedis(limiter, "key" + i);
            }
        } finally {
            TestCluster.signal(process, "CONT");
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @CsvSource({"true,false", "true,true", "false,false"})
    void redis_decides_the_keys_of_the_other_masters(boolean byLettuce, boolean sets) throws Exception {
        TestCluster cluster = resources.cluster(3, "--cluster-require-full-coverage", "no");
        RedisClusterConfiguration configuration = new RedisClusterConfiguration(cluster.nodes());
        // With more of them, Jedis tries again itself, after pauses of a share of its timeout.
        configuration.setMaxRedirects(2);
        RedisConnectionFactory connections = connect(byLettuce, configuration);
        try (RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(connections)
                .failurePolicy(FailurePolicy.LOCAL)
                .decisionTimeout(Duration.ofSeconds(1))
                .build()) {
            Limiter limiter = factory.build("k", MANY);
            Map<String, List<String>> keysByNode = IntStream.range(0, 12)
                    .mapToObj(i -> "key" + i)
                    .collect(Collectors.groupingBy(key -> cluster.nodeOf(stored(key))));
            assertThat(keysByNode).hasSize(3);
            keysByNode.values().forEach(keys -> keys.forEach(key -> awaitRedis(limiter, key)));
            String killed = cluster.nodes().get(0);
            List<String> unavailable = keysByNode.remove(killed);
            cluster.kill(killed);
            Limiter available = limiter.on(keysByNode.values().iterator().next().get(0));
            // All at the same time, so that they cost one decision timeout.
            List<CompletableFuture<?>> unanswered = IntStream.range(0, 10)
                    .<CompletableFuture<?>>mapToObj(i -> {
                        Limiter first = limiter.on(unavailable.get(i % unavailable.size()));
                        return sets
                                ? LimitSet.of(available, first).async().decide(1)
                                : first.async().decide(1);
                    })
                    .toList();
            unanswered.forEach(CompletableFuture::join);
            Awaitility.await().atMost(CLIENT_TIMEOUT).until(() -> {
                limiter.decide(unavailable.get(0));
                return factory.backendState().unavailableNodes().equals(List.of(killed));
            });
            for (int i = 0; i < 10; i++) {
                keysByNode.values().forEach(keys -> keys.forEach(key -> awaitRedis(limiter, key)));
                unavailable.forEach(
                        key -> assertThat(limiter.decide(key).source()).isEqualTo(Source.LOCAL));
            }
            BackendState state = factory.backendState();
            assertThat(state.up()).isFalse();
            assertThat(state.unavailableNodes()).containsExactly(killed);
            assertThat(LimitSet.of(available, limiter.on(unavailable.get(0)))
                            .decide(1)
                            .parts())
                    .allMatch(part -> part.decision().source() == Source.LOCAL);
            assertThat(state.nodes()).isEqualTo(3);
            cluster.startAgain(killed);
            unavailable.forEach(key -> awaitRedis(limiter, key));
            assertThat(factory.backendState().up()).isTrue();
            assertThat(factory.backendState().availability()).isEqualTo(1);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_answer_of_another_master_closes_no_circuit_breaker(boolean byLettuce) throws Exception {
        TestCluster cluster = resources.cluster(3, "--cluster-require-full-coverage", "no");
        RedisClusterConfiguration configuration = new RedisClusterConfiguration(cluster.nodes());
        configuration.setMaxRedirects(2);
        RedisConnectionFactory connections = connect(byLettuce, configuration);
        try (RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(connections)
                .failurePolicy(FailurePolicy.LOCAL)
                .decisionTimeout(Duration.ofSeconds(1))
                .probeInterval(Duration.ofMillis(50))
                .build()) {
            Limiter limiter = factory.build("k", MANY);
            String killed = cluster.nodes().get(0);
            // Of two slots, because one of them moves.
            List<String> itsKeys = IntStream.range(0, 100)
                    .mapToObj(i -> "key" + i)
                    .filter(key -> cluster.nodeOf(stored(key)).equals(killed))
                    .collect(Collectors.toMap(
                            key -> SlotHash.getSlot(stored(key)), key -> key, (one, other) -> one, TreeMap::new))
                    .values()
                    .stream()
                    .limit(2)
                    .toList();
            itsKeys.forEach(key -> awaitRedis(limiter, key));
            Limiter moved = limiter.on(itsKeys.get(0));
            cluster.kill(killed);
            Awaitility.await().atMost(CLIENT_TIMEOUT).until(() -> {
                moved.decide(1);
                return factory.backendState().unavailableNodes().contains(killed);
            });
            cluster.giveSlot(stored(itsKeys.get(0)), cluster.nodes().get(1));
            awaitRedis(limiter, itsKeys.get(0));
            // Many probes. On a machine that is too slow for them, a wrong one is not noticed.
            Awaitility.await()
                    .during(Duration.ofSeconds(1))
                    .atMost(CLIENT_TIMEOUT)
                    .until(() -> factory.backendState().unavailableNodes().contains(killed));
            assertThat(limiter.decide(itsKeys.get(1)).source()).isEqualTo(Source.LOCAL);
            cluster.startAgain(killed);
            itsKeys.forEach(key -> awaitRedis(limiter, key));
            assertThat(factory.backendState().unavailableNodes()).doesNotContain(killed);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void a_dead_master_is_not_taken_for_one_that_answers() throws Exception {
        TestCluster cluster = resources.cluster(3, "--cluster-require-full-coverage", "no");
        RedisConnectionFactory connections = connect(false, new RedisClusterConfiguration(cluster.nodes()));
        SpringCalls redis = new SpringCalls(connections);
        redis.connect();
        String dead = cluster.nodeOf("key");
        assertThat(redis.isOn(dead, "key")).isTrue();
        cluster.kill(dead);
        assertThatThrownBy(() -> redis.isOn(dead, "key")).isInstanceOf(RuntimeException.class);
        String living = cluster.nodes().stream()
                .filter(node -> !node.equals(dead))
                .findFirst()
                .orElseThrow();
        assertThat(redis.isOn(living, "key")).isFalse();
    }

    private static void awaitRedis(Limiter limiter, String key) {
        AwaitedDecision.by(Source.BACKEND, () -> limiter.decide(key));
    }

    private static String stored(String key) {
        return KEYS.of(key);
    }

    private static List<String> keysOn(String node) {
        return Resources.commands(node, commands -> commands.keys("*}{k}*")).stream()
                .map(key -> key.substring(key.indexOf("}{") + 2, key.indexOf("}{k}")))
                .toList();
    }

    private RedisConnectionFactory connect(boolean byLettuce, RedisClusterConfiguration cluster) {
        return byLettuce
                ? resources.lettuce(
                        cluster, Resources.lettuceWaiting(CLIENT_TIMEOUT).build())
                : resources.jedis(cluster, Resources.jedisWaiting(CLIENT_TIMEOUT));
    }
}
