package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.limiter.HashTag;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.resilience.Probe;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.live.LiveSettings;
import io.limiter.spi.DistributedLock;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A Redis user with exactly the documented rights. */
class RightsTest {

    private static final List<Limit<?>> KINDS = List.of(
            TokenBucket.of(10, 10),
            FixedWindow.of(100, Duration.ofHours(1)),
            SlidingLog.of(100, Duration.ofHours(1)),
            SlidingCounter.of(100, Duration.ofHours(1)));

    /** What clients run when they connect, and none of ours. */
    private static final List<String> CONNECTING = List.of("hello", "auth", "ping", "client", "select");

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @CsvSource({"true, 0", "true, 1", "false, 0", "false, 1"})
    void the_documented_rights_suffice_for_scripts_and_the_redis_lock(boolean byLettuce, int database)
            throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            String node = "127.0.0.1:" + redis.port();
            allow(node, documented("ACL SETUSER"));
            allowSetInfo(node);
            if (database != 0) {
                allow(node, "ACL SETUSER limiter " + documented("+select"));
            }
            RedisStandaloneConfiguration where = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
            where.setDatabase(database);
            where.setUsername("limiter");
            where.setPassword(RedisPassword.of("password"));
            RedisConnectionFactory connections = connect(byLettuce, where);
            everything(RedisFixture.builder(connections));
            everything(RedisFixture.builder(connections).lock(new RedisLock(connections)));
            assertThat(denied(node)).isEmpty();
            ((DisposableBean) connections).destroy();
        }
    }

    /** All versions accept the line, and none needs more: a client that may not tell its version goes on. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_rights_of_the_documented_line_suffice(boolean byLettuce) throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            String node = "127.0.0.1:" + redis.port();
            allow(node, documented("ACL SETUSER"));
            RedisStandaloneConfiguration where = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
            where.setUsername("limiter");
            where.setPassword(RedisPassword.of("password"));
            RedisConnectionFactory connections = connect(byLettuce, where);
            everything(RedisFixture.builder(connections));
            assertThat(denied(node)).allMatch(entry -> entry.startsWith("command client"));
            ((DisposableBean) connections).destroy();
        }
    }

    /** A version that does not know a right rejects the whole line; these are what 6.2 and 7.0 both know. */
    @Test
    void every_version_accepts_the_documented_rights() throws IOException {
        assertThat(List.of(documented("ACL SETUSER").split(" ")))
                .filteredOn(word -> word.contains("|"))
                .containsExactly("+client|setname");
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void limiters_use_exactly_the_documented_rights() throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            String node = "127.0.0.1:" + redis.port();
            // Valkey 9 reads settings of its own by commands.
            Set<String> usedByTheServer = used(node);
            RedisConnectionFactory connections =
                    connect(true, new RedisStandaloneConfiguration("127.0.0.1", redis.port()));
            everything(RedisFixture.builder(connections));
            everything(RedisFixture.builder(connections).lock(new RedisLock(connections)));
            Set<String> used = used(node);
            used.removeAll(usedByTheServer);
            CONNECTING.forEach(used::remove);
            assertThat(words(documented("ACL SETUSER"), "+")
                            .map(word -> word.replaceFirst("\\|.*", ""))
                            .filter(word -> !CONNECTING.contains(word)))
                    .containsExactlyInAnyOrderElementsOf(used);
            ((DisposableBean) connections).destroy();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void the_documented_rights_for_redissons_lock_suffice() throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            String node = "127.0.0.1:" + redis.port();
            allow(node, documented("ACL SETUSER"));
            allow(node, "ACL SETUSER limiter " + documented("~redisson"));
            allowSetInfo(node);
            RedisStandaloneConfiguration where = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
            where.setUsername("limiter");
            where.setPassword(RedisPassword.of("password"));
            RedisConnectionFactory connections = connect(true, where);
            Config config = new Config();
            config.useSingleServer()
                    .setAddress("redis://" + node)
                    .setUsername("limiter")
                    .setPassword("password")
                    .setConnectionMinimumIdleSize(1);
            RedissonClient redisson = Redisson.create(config);
            RedissonLock lock = new RedissonLock(redisson);
            try {
                everything(RedisFixture.builder(connections).lock(lock));
                // Who waits for it needs more.
                DistributedLock.Held held = lock.tryLock("rateLimit:{k}:lock", Duration.ZERO);
                assertThat(lock.tryLock("rateLimit:{k}:lock", Duration.ofMillis(500)))
                        .isNull();
                held.close();
            } finally {
                // Redisson reads it to see whether this is a Cluster, and goes on without.
                assertThat(denied(node)).allMatch("key test1"::equals);
            }
            redisson.shutdown();
            ((DisposableBean) connections).destroy();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_documented_rights_for_a_cluster_suffice(boolean byLettuce) throws Exception {
        try (TestCluster cluster = TestCluster.start(3)) {
            for (String node : cluster.nodes()) {
                allow(node, documented("ACL SETUSER"));
                allow(node, "ACL SETUSER limiter " + documented("+cluster|slots"));
                allowSetInfo(node);
            }
            RedisClusterConfiguration where = new RedisClusterConfiguration(cluster.nodes());
            where.setUsername("limiter");
            where.setPassword(RedisPassword.of("password"));
            RedisConnectionFactory connections = connect(byLettuce, where);
            everything(RedisFixture.builder(connections));
            everything(RedisFixture.builder(connections).lock(new RedisLock(connections)));
            for (String node : cluster.nodes()) {
                // Redisson reads it to see whether this is a Cluster, and goes on without.
                assertThat(denied(node)).allMatch("key test1"::equals);
            }
            ((DisposableBean) connections).destroy();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void and_those_of_live_limits_for_them(boolean byLettuce) throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            String node = "127.0.0.1:" + redis.port();
            allow(node, documented("ACL SETUSER"));
            allow(node, "ACL SETUSER limiter " + documented("~{limiter:live}"));
            allowSetInfo(node);
            RedisStandaloneConfiguration where = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
            where.setUsername("limiter");
            where.setPassword(RedisPassword.of("password"));
            RedisConnectionFactory connections = connect(byLettuce, where);
            try (RedisRateLimiterFactory factory = RedisFixture.builder(connections)
                    .liveLimits(LiveOptions.DEFAULT.pollInterval(Duration.ofMillis(100)))
                    .build()) {
                LiveLimits live = factory.live().orElseThrow();
                ChangeNote note = ChangeNote.of("ann", "");
                live.put("a", LiveSettings.NONE.enforce(false), note, 0);
                live.rollBack(1, note, 1);
                Eventually.that(
                        () -> assertThat(live.fleet().watch().instances()).isNotEmpty());
                assertThat(live.history()).hasSize(2);
                String channel = "{limiter:live}";
                RedisClient client = RedisClient.create("redis://" + node);
                Eventually.that(() -> {
                    try (StatefulRedisConnection<String, String> connection = client.connect()) {
                        assertThat(connection.sync().pubsubNumsub(channel).get(channel))
                                .isEqualTo(1);
                    }
                });
                client.shutdown();
            }
            assertThat(denied(node)).isEmpty();
            ((DisposableBean) connections).destroy();
        }
    }

    @Test
    void failure_md_names_what_limiters_themselves_run() throws IOException {
        Matcher named = Pattern.compile("rights?[^`]*|`(\\+eval [^`]*)`")
                .matcher(Files.readString(Path.of("../docs/failure.md")));
        List<String> rights = new ArrayList<>();
        while (named.find()) {
            if (named.group(1) != null) {
                rights.addAll(List.of(named.group(1).split(" ")));
            }
        }
        assertThat(rights).isNotEmpty();
        assertThat(List.of(documented("ACL SETUSER").split(" "))).containsAll(rights);
    }

    private static void everything(RedisRateLimiterFactory.Builder builder) throws IOException {
        String probes = Probe.KEY.substring(0, Probe.KEY.indexOf('{'));
        List<String> prefixes = words(documented("ACL SETUSER"), "~")
                .map(pattern -> pattern.substring(0, pattern.length() - 1))
                .toList();
        assertThat(prefixes).contains(probes);
        try (RedisRateLimiterFactory factory = builder.build()) {
            assertThat(factory.warmUp().join()).isTrue();
            for (String prefix : prefixes) {
                if (!prefix.equals(probes)) {
                    everything(factory.withPrefix(prefix));
                }
            }
        }
    }

    private static void everything(LimiterFactory limiters) {
        List<Limiter> all = new ArrayList<>();
        for (int i = 0; i < KINDS.size(); i++) {
            Limiter limiter = limiters.build("k" + i, KINDS.get(i));
            for (String key : List.of("a", "b", "c", "d")) {
                limiter.on(key).reset();
                assertThat(limiter.decide(key, 1).granted()).isTrue();
                assertThat(limiter.on(key).async().decide(1).join().granted()).isTrue();
                limiter.on(key).refund(1);
                assertThat(limiter.on(key).peek(1).granted()).isTrue();
            }
            all.add(limiter);
        }
        LimiterFactory tagging = limiters.withHashTag(HashTag.FIRST_KEY);
        LimitSet set = LimitSet.of(
                tagging.build("k0", KINDS.get(0)).on("s").on("a"),
                tagging.build("k1", KINDS.get(1)).on("s").on("a"));
        assertThat(set.decide(1).granted()).isTrue();
        assertThat(LimitSet.of(all.get(2).on("a"), all.get(3).on("b")).decide(1).granted())
                .isTrue();
        try (Lease lease = limiters.build(
                        "c", ConcurrencyLimit.of(2).withLeaseTime(ConcurrencyLimit.DEFAULT_LEASE_TIME))
                .on("a")
                .acquire(1, Duration.ZERO)) {
            assertThat(lease.isHeld()).isTrue();
        }
    }

    /** What follows a sign in front of a word. */
    private static Stream<String> words(String line, String sign) {
        return Arrays.stream(line.split(" "))
                .filter(word -> word.startsWith(sign))
                .map(word -> word.substring(1));
    }

    /** What docs/operations says, from there to the end of the line or of the code. */
    private static String documented(String start) throws IOException {
        Matcher line = Pattern.compile("(?m)(?:^|`)(" + Pattern.quote(start) + "[^`\\n]*)")
                .matcher(Files.readString(Path.of("../docs/operations/README.md")));
        assertThat(line.find()).as(start).isTrue();
        return line.group(1);
    }

    private static void allow(String node, String command) {
        run(node, List.of(command.substring("ACL ".length()).split(" ")));
    }

    private static void run(String node, List<String> words) {
        RedisClient client = RedisClient.create(RedisURI.create("redis://" + node));
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
            words.forEach(arguments::add);
            assertThat(connection.sync().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments))
                    .isEqualTo("OK");
        } finally {
            client.shutdown();
        }
    }

    /** 7.0 knows its subcommands, and not yet this one. */
    private static void allowSetInfo(String node) throws IOException {
        if (!info(node, "server").contains("redis_version:7.0.")) {
            allow(node, "ACL SETUSER limiter " + documented("+client|setinfo"));
        }
    }

    /** The commands that Redis has carried out. */
    private static Set<String> used(String node) {
        return Pattern.compile("(?m)^cmdstat_([a-z]+)")
                .matcher(info(node, "commandstats"))
                .results()
                .map(command -> command.group(1))
                // This one is the test's.
                .filter(command -> !command.equals("info"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String info(String node, String section) {
        RedisClient client = RedisClient.create("redis://" + node);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return connection.sync().info(section);
        } finally {
            client.shutdown();
        }
    }

    /** What Redis has rejected. */
    private static List<String> denied(String node) {
        RedisClient client = RedisClient.create("redis://" + node);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return connection.sync().aclLog().stream()
                    .map(entry -> entry.get("reason") + " " + entry.get("object"))
                    .distinct()
                    .toList();
        } finally {
            client.shutdown();
        }
    }

    private static RedisConnectionFactory connect(boolean byLettuce, RedisConfiguration where) {
        if (byLettuce) {
            LettuceConnectionFactory lettuce = new LettuceConnectionFactory(where);
            lettuce.afterPropertiesSet();
            lettuce.start();
            return lettuce;
        }
        JedisConnectionFactory jedis = where instanceof RedisClusterConfiguration cluster
                ? new JedisConnectionFactory(cluster)
                : new JedisConnectionFactory((RedisStandaloneConfiguration) where);
        jedis.afterPropertiesSet();
        jedis.start();
        return jedis;
    }
}
