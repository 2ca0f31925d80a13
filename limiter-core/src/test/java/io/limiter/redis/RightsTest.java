package io.limiter.redis;

import static io.limiter.redis.Rights.allow;
import static io.limiter.redis.Rights.documented;
import static io.limiter.redis.Rights.grant;
import static io.limiter.redis.Rights.info;
import static io.limiter.redis.Rights.rejected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.Decision.Source;
import io.limiter.HashTag;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.resilience.Probe;
import io.limiter.spi.DistributedLock;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.TestCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** A Redis user with exactly the documented rights. */
class RightsTest {

    private static final List<Limit> KINDS = List.of(
            TokenBucket.of(10, 10),
            FixedWindow.of(100, Duration.ofHours(1)),
            SlidingLog.of(100, Duration.ofHours(1)),
            SlidingCounter.of(100, Duration.ofHours(1)));

    /** What clients run when they connect and what Spring Boot's health runs, and none of ours. */
    private static final List<String> NOT_OURS = List.of("hello", "auth", "ping", "client", "select", "info");

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @CsvSource({"true, 0", "true, 1", "false, 0", "false, 1"})
    void the_documented_rights_suffice_for_scripts_and_the_redis_lock(boolean byLettuce, int database)
            throws Exception {
        RedisProcess redis = resources.redis();
        String node = "127.0.0.1:" + redis.port();
        grant(node);
        if (database != 0) {
            allow(node, "ACL SETUSER limiter " + documented("+select"));
        }
        RedisStandaloneConfiguration where = Resources.as("limiter", Resources.at(redis.port()));
        where.setDatabase(database);
        RedisConnectionFactory connections = resources.connect(byLettuce, where);
        everything(RedisFixture.builder(connections));
        everything(RedisFixture.builder(connections).lock(new RedisLock(connections)));
        assertThat(rejected(node)).isEmpty();
    }

    /** All versions accept the line, and none needs more: a client that may not tell its version goes on. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_rights_of_the_documented_line_suffice(boolean byLettuce) throws Exception {
        RedisProcess redis = resources.redis();
        String node = "127.0.0.1:" + redis.port();
        allow(node, documented("ACL SETUSER"));
        RedisStandaloneConfiguration where = Resources.as("limiter", Resources.at(redis.port()));
        RedisConnectionFactory connections = resources.connect(byLettuce, where);
        everything(RedisFixture.builder(connections));
        assertThat(rejected(node)).allMatch(entry -> entry.startsWith("command client"));
    }

    /** A version that does not know a right rejects the whole line; these are what 6.2 and 7.0 both know. */
    @Test
    void every_version_accepts_the_documented_rights() throws IOException {
        assertThat(List.of(documented("ACL SETUSER").split(" ")))
                .filteredOn(word -> word.contains("|"))
                .containsExactly("+client|setname");
    }

    /** What is saved first needs another command than what follows, so the script has begun when Redis refuses. */
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void a_set_that_is_refused_after_a_part_was_saved_may_have_taken_permits() throws Exception {
        RedisProcess redis = resources.redis();
        String node = "127.0.0.1:" + redis.port();
        grant(node);
        allow(node, "ACL SETUSER limiter ~*");
        RedisConnectionFactory connections = resources.lettuce(Resources.as("limiter", Resources.at(redis.port())));
        try (RedisRateLimiterFactory limiters =
                RedisFixture.builder(connections).build()) {
            Limiter window = limiters.build("window", FixedWindow.of(9, Duration.ofHours(1)));
            LimitSet set = LimitSet.of(limiters.build("bucket", TokenBucket.of(1, 9)), window);
            assertThat(set.tryAcquire()).isTrue();
            allow(node, "ACL SETUSER limiter -setrange");
            assertThatThrownBy(set::tryAcquire).isInstanceOfSatisfying(LimiterBackendException.class, e -> {
                assertThat(e.kind()).isEqualTo(LimiterBackendException.Kind.PERMANENT);
                assertThat(e.isAmbiguous()).as(e.toString()).isTrue();
            });
            assertThat(window.peek().remaining()).isEqualTo(7);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void limiters_use_exactly_the_documented_rights() throws Exception {
        RedisProcess redis = resources.redis();
        String node = "127.0.0.1:" + redis.port();
        // Valkey 9 reads settings of its own by commands.
        Set<String> usedByTheServer = used(node);
        RedisConnectionFactory connections = resources.lettuce(Resources.at(redis.port()));
        everything(RedisFixture.builder(connections));
        everything(RedisFixture.builder(connections).lock(new RedisLock(connections)));
        Set<String> used = used(node);
        used.removeAll(usedByTheServer);
        NOT_OURS.forEach(used::remove);
        assertThat(words(documented("ACL SETUSER"), "+")
                        .map(word -> word.replaceFirst("\\|.*", ""))
                        .filter(word -> !NOT_OURS.contains(word)))
                .containsExactlyInAnyOrderElementsOf(used);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void the_documented_rights_for_redissons_lock_suffice() throws Exception {
        RedisProcess redis = resources.redis();
        String node = "127.0.0.1:" + redis.port();
        grant(node, "~redisson");
        RedisStandaloneConfiguration where = Resources.as("limiter", Resources.at(redis.port()));
        RedisConnectionFactory connections = resources.lettuce(where);
        RedissonLock lock = new RedissonLock(resources.redisson(where));
        try {
            everything(RedisFixture.builder(connections).lock(lock));
            // Who waits for it needs more.
            DistributedLock.Held held = lock.tryLock("shop:rateLimit:{k}:lock", Duration.ZERO);
            assertThat(lock.tryLock("shop:rateLimit:{k}:lock", Duration.ofMillis(500)))
                    .isNull();
            held.close();
        } finally {
            // Redisson reads it to see whether this is a Cluster, and goes on without.
            assertThat(rejected(node)).allMatch("key test1"::equals);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_documented_rights_for_a_cluster_suffice(boolean byLettuce) throws Exception {
        TestCluster cluster = resources.cluster(3);
        for (String node : cluster.nodes()) {
            grant(node, "+cluster|slots");
        }
        RedisClusterConfiguration where = Resources.as("limiter", new RedisClusterConfiguration(cluster.nodes()));
        RedisConnectionFactory connections = resources.connect(byLettuce, where);
        everything(RedisFixture.builder(connections));
        everything(RedisFixture.builder(connections).lock(new RedisLock(connections)));
        for (String node : cluster.nodes()) {
            // Redisson reads it to see whether this is a Cluster, and goes on without.
            assertThat(rejected(node)).allMatch("key test1"::equals);
        }
    }

    private static void everything(RedisRateLimiterFactory.Builder builder) throws IOException {
        String probes = Probe.KEY.substring(0, Probe.KEY.indexOf('{'));
        List<String> prefixes = words(documented("ACL SETUSER"), "~")
                .map(pattern -> pattern.substring(0, pattern.length() - 1))
                .toList();
        assertThat(prefixes).contains(probes);
        try (RedisRateLimiterFactory factory = builder.build()) {
            // It waits for a few seconds only, in which a slow machine may not have connected.
            Eventually.that(() -> assertThat(factory.warmUp().join()).isTrue());
            for (String prefix : prefixes) {
                if (!prefix.equals(probes)) {
                    everything(factory.with(LimiterOptions.NONE.withPrefix(prefix)));
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
                assertThat(limiter.decide(key).isGranted()).isTrue();
                assertThat(limiter.on(key).async().decide(1).join().isGranted()).isTrue();
                limiter.on(key).refund(1);
                assertThat(limiter.on(key).peek(1).isGranted()).isTrue();
            }
            all.add(limiter);
        }
        Limiter banning =
                limiters.with(LimiterOptions.NONE.withBan(Ban.after(1))).build("k1", KINDS.get(1));
        banning.on("e").reset();
        banning.on("e").decide(101);
        Eventually.that(() -> assertThat(banning.on("e").peek(1).source()).isEqualTo(Source.OVERRIDE));
        LimiterFactory tagging = limiters.with(LimiterOptions.NONE.withHashTag(HashTag.WHOLE_KEY));
        LimitSet set = LimitSet.of(
                tagging.build("k0", KINDS.get(0)).on("s").on("a"),
                tagging.build("k1", KINDS.get(1)).on("s").on("a"));
        assertThat(set.decide(1).isGranted()).isTrue();
        assertThat(LimitSet.of(all.get(2).on("a"), all.get(3).on("b")).decide(1).isGranted())
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
}
