package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.limiter.BackendState;
import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.LimitSet;
import io.limiter.LimiterBackendDownEvent;
import io.limiter.LimiterBackendUpEvent;
import io.limiter.LimiterListener;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Eventually;
import io.limiter.testing.MuteProxy;
import io.limiter.testing.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A Redis that answers and does not decide: it refuses writes, logins, or calls with keys of several slots. */
class RefusedWritesTest {

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final AtomicInteger downs = new AtomicInteger();
    private final AtomicInteger ups = new AtomicInteger();

    @ParameterizedTest
    @EnumSource(names = {"LETTUCE", "JEDIS", "REDIS_LOCK"})
    void while_it_refuses_writes_it_is_down_all_the_time(Setup setup) {
        RedisProcess redis = resources.redis();
        RedisConnectionFactory connections = resources.connect(setup != Setup.JEDIS, Resources.at(redis.port()));
        RedisRateLimiterFactory factory = factory(setup, connections);
        RateLimiter limiter = factory.build("k", 1000, 1000, 60);
        Eventually.that(() -> assertThat(limiter.decide(1).source()).isEqualTo(Source.BACKEND));
        config(redis, "min-replicas-to-write", "1");
        awaitDown(factory, limiter, "NOREPLICAS");
        int before = refusedCalls(redis);
        Eventually.that(() -> {
            assertThat(limiter.decide(1).source()).isEqualTo(Source.LOCAL);
            assertThat(refusedCalls(redis) - before).as("probes").isGreaterThan(10);
        });
        config(redis, "min-replicas-to-write", "0");
        Eventually.that(() -> assertThat(limiter.decide(1).source()).isEqualTo(Source.BACKEND));
        Eventually.that(() -> assertThat(ups).hasValue(1));
        assertThat(downs).hasValue(1);
    }

    /** As managed services do behind one name. */
    @ParameterizedTest
    @CsvSource({"LETTUCE, true", "JEDIS, false", "REDIS_LOCK, true", "REDIS_LOCK, false"})
    void a_primary_that_was_demoted_and_keeps_its_connections_is_left(Setup setup, boolean byLettuce) {
        checkIsLeft(
                setup,
                byLettuce,
                (before, after) ->
                        Resources.commands(before.port(), commands -> commands.replicaof("127.0.0.1", after.port())));
    }

    /** It does not reply that it is a replica, because it does not know yet that one of its replicas was promoted. */
    @ParameterizedTest
    @CsvSource({"LETTUCE, true", "JEDIS, false", "REDIS_LOCK, true", "REDIS_LOCK, false"})
    void a_primary_that_was_replaced_and_has_lost_its_replicas_is_left(Setup setup, boolean byLettuce) {
        checkIsLeft(setup, byLettuce, (before, after) -> config(before, "min-replicas-to-write", "1"));
    }

    private void checkIsLeft(Setup setup, boolean byLettuce, BiConsumer<RedisProcess, RedisProcess> replace) {
        RedisProcess before = resources.redis();
        RedisProcess after = resources.redis();
        MuteProxy name = resources.proxyTo(before.port());
        RedisConnectionFactory connections = resources.connect(byLettuce, Resources.at(name.port()));
        RedisRateLimiterFactory factory = factory(setup, connections);
        RateLimiter limiter = factory.build("k", 1000, 1000, 60);
        Eventually.that(() -> assertThat(limiter.decide(1).source()).isEqualTo(Source.BACKEND));
        if (connections instanceof JedisConnectionFactory jedis) {
            fillPool(jedis);
        }
        replace.accept(before, after);
        name.redirectNewTo(after.port());
        // Not by the source of decisions, because a call may be repeated until it reaches the new primary.
        int refusedBefore = refusedCalls(before);
        Eventually.that(() -> {
            limiter.decide(1);
            assertThat(refusedCalls(before)).isGreaterThan(refusedBefore);
        });
        Eventually.that(() -> {
            assertThat(limiter.decide(1).source()).isEqualTo(Source.BACKEND);
            assertThat(factory.backendState().up()).isTrue();
        });
        // Nor here, because on a slow machine the policy makes some of them. Jedis leaves each connection of its pool
        // after another call.
        Eventually.that(() -> {
            int refused = refusedCalls(before);
            for (int i = 0; i < 20; i++) {
                limiter.decide(1);
            }
            assertThat(refusedCalls(before))
                    .as("calls of the one that was left")
                    .isEqualTo(refused);
        });
    }

    /** With as many connections as it can have, so that no call opens another one while all of them are in the pool. */
    private static void fillPool(JedisConnectionFactory jedis) {
        GenericObjectPoolConfig<?> pool = Objects.requireNonNull(jedis.getPoolConfig());
        List<RedisConnection> all =
                Stream.generate(jedis::getConnection).limit(pool.getMaxTotal()).toList();
        all.forEach(RedisConnection::close);
        assertThat(pool.getMaxIdle()).isEqualTo(pool.getMaxTotal());
    }

    @Test
    void a_password_that_becomes_wrong_is_named_and_the_state_stays_down() {
        RedisProcess redis = resources.redis();
        user(redis, ">password");
        RedisRateLimiterFactory factory =
                factory(Setup.LETTUCE, resources.lettuce(Resources.as("limiter", Resources.at(redis.port()))));
        RateLimiter limiter = factory.build("k", 1000, 1000, 60);
        Eventually.that(() -> assertThat(limiter.decide(1).source()).isEqualTo(Source.BACKEND));
        user(redis, ">another");
        Resources.commands(redis.port(), commands -> commands.clientKill(KillArgs.Builder.user("limiter")));
        awaitDown(factory, limiter, "WRONGPASS");
        user(redis, ">password");
        Eventually.that(() -> assertThat(limiter.decide(1).source()).isEqualTo(Source.BACKEND));
        Eventually.that(() -> assertThat(ups).hasValue(1));
        assertThat(downs).hasValue(1);
    }

    /** Of a Cluster of one node, which has every slot, and does not redirect. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_client_that_does_not_know_of_a_cluster_has_its_calls_split(boolean byLettuce) {
        RedisProcess redis = resources.redis("--cluster-enabled", "yes");
        Resources.commands(
                redis.port(),
                commands -> commands.clusterAddSlots(IntStream.range(0, 16_384).toArray()));
        Eventually.that(
                () -> assertThat(text(redis, RedisCommands::clusterInfo)).contains("cluster_state:ok"));
        RedisRateLimiterFactory factory =
                resources.closing(RedisFixture.builder(resources.connect(byLettuce, Resources.at(redis.port())))
                        .build());
        // Of two permits, which are not refilled while a slow machine runs this.
        RateLimiter limiter = factory.build("k", TokenBucket.of(0.001, 2_000));
        limiter.peek(1);
        List<CompletableFuture<Decision>> decisions = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            decisions.add(limiter.on("key" + i % 50).async().decide(1));
        }
        assertThat(decisions.stream().map(CompletableFuture::join).filter(Decision::isGranted))
                .hasSize(100)
                .allMatch(decision -> decision.source() == Source.BACKEND);
        LimitSet set = LimitSet.of(limiter.on("ann")).and(limiter.on("bob"));
        assertThat(IntStream.range(0, 3).mapToObj(i -> set.decide().isGranted()))
                .containsExactly(true, true, false);
        assertThat(factory.backendState().failing()).isEmpty();
    }

    @Test
    void limiters_have_one_connection_where_lettuce_shares_none() {
        RedisProcess redis = resources.redis();
        LettuceConnectionFactory connections = resources.lettuce(Resources.at(redis.port()));
        connections.setShareNativeConnection(false);
        RedisRateLimiterFactory factory = RedisFixture.builder(connections).build();
        RateLimiter limiter = factory.build("k", 1000, 1000, 60);
        Concurrently.run(16, () -> {
            for (int i = 0; i < 20; i++) {
                assertThat(limiter.decide("k" + i).source()).isEqualTo(Source.BACKEND);
            }
        });
        assertThat(connectionsReceived(redis)).isLessThan(10);
        factory.close();
        Eventually.that(() -> assertThat(text(redis, RedisCommands::clientList)).doesNotContain("evalsha"));
    }

    private static int connectionsReceived(RedisProcess redis) {
        return number(text(redis, commands -> commands.info("stats")), "total_connections_received:(\\d+)");
    }

    private static int refusedCalls(RedisProcess redis) {
        return number(text(redis, commands -> commands.info("commandstats")), "cmdstat_evalsha:calls=(\\d+)");
    }

    private static int number(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .mapToInt(match -> Integer.parseInt(match.group(1)))
                .findFirst()
                .orElseThrow();
    }

    private static String text(RedisProcess redis, Function<RedisCommands<String, String>, String> read) {
        return Resources.commands(redis.port(), read);
    }

    private RedisRateLimiterFactory factory(Setup setup, RedisConnectionFactory connections) {
        RedisRateLimiterFactory.Builder builder = RedisRateLimiterFactory.builder(connections)
                .failurePolicy(FailurePolicy.LOCAL)
                .decisionTimeout(Duration.ofMillis(300))
                .probeInterval(Duration.ofMillis(20))
                .listener(new LimiterListener() {
                    @Override
                    public void onBackendDown(LimiterBackendDownEvent event) {
                        downs.incrementAndGet();
                    }

                    @Override
                    public void onBackendUp(LimiterBackendUpEvent event) {
                        ups.incrementAndGet();
                    }
                });
        return resources.closing(setup.on(builder, connections, () -> null).build());
    }

    private static void awaitDown(RedisRateLimiterFactory factory, RateLimiter limiter, String problem) {
        Eventually.that(() -> {
            limiter.decide(1);
            BackendState state = factory.backendState();
            assertThat(state.up()).isFalse();
            assertThat(state.lastFailure())
                    .hasValueSatisfying(failure -> assertThat(failure.problem()).isEqualTo(problem));
        });
    }

    private static void config(RedisProcess redis, String name, String value) {
        Resources.commands(redis.port(), commands -> commands.configSet(name, value));
    }

    private static void user(RedisProcess redis, String password) {
        Resources.commands(
                redis.port(),
                commands -> commands.aclSetuser(
                        "limiter",
                        AclSetuserArgs.Builder.on()
                                .resetpass()
                                .addPassword(password.substring(1))
                                .allKeys()
                                .allChannels()
                                .allCommands()));
    }
}
