package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static io.limiter.testing.Decisions.startSetsIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.limiter.Decision;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.RejectedSets;
import io.limiter.SetDecision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.key.HashTags;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import io.limiter.testing.Concurrently;
import io.limiter.testing.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** A Cluster of three masters, through each client. */
class ClusterTest {

    @RegisterExtension
    static final Resources RESOURCES = Resources.ofClass();

    private static final List<RedisConnectionFactory> CONNECTIONS = new ArrayList<>();
    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RESOURCES.cluster(3);
        CONNECTIONS.add(RESOURCES.lettuce(new RedisClusterConfiguration(cluster.nodes())));
        CONNECTIONS.add(RESOURCES.jedis(new RedisClusterConfiguration(cluster.nodes())));
        CONNECTIONS.add(RESOURCES.redisson(new RedisClusterConfiguration(cluster.nodes())));
    }

    static List<RedisConnectionFactory> connections() {
        return CONNECTIONS;
    }

    @ParameterizedTest
    @MethodSource("connections")
    void keys_on_every_master_are_limited(RedisConnectionFactory connections) {
        LimiterFactory limiters =
                RedisFixture.builder(connections).build().with(LimiterOptions.NONE.withPrefix(prefix(connections)));
        limitsManyKeys(limiters);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void the_lock_engine_limits_keys_on_every_master(RedisConnectionFactory connections) {
        LimiterFactory limiters = RedisFixture.builder(connections)
                .lock(new RedisLock(connections))
                .build()
                .with(LimiterOptions.NONE.withPrefix("lock-" + prefix(connections)));
        limitsManyKeys(limiters);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void a_batch_may_have_keys_on_several_masters(RedisConnectionFactory connections) {
        ScriptBackend engine = RedisFixture.scriptBackend(connections);
        List<Request> requests = List.of(Request.take(1, 0), Request.take(1, 0));
        List<KeyRequests<?>> batch = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            batch.add(new KeyRequests<>(prefix(connections) + "{b" + i + "}", TokenBucket.of(0.1, 10), requests));
            batch.add(new KeyRequests<>(
                    prefix(connections) + "{w" + i + "}", FixedWindow.of(1, Duration.ofMinutes(1)), requests));
        }
        for (Answer answer : decideIn(engine, batch)) {
            assertThat(answer.verdicts().get(0).isGranted()).isTrue();
            assertThat(answer.verdicts().get(1).isGranted()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("connections")
    void requests_for_each_key_are_decided_in_order(RedisConnectionFactory connections) {
        try (RedisRateLimiterFactory factory =
                RedisFixture.builder(connections).rejectionCacheSize(0).build()) {
            RateLimiter limiter = factory.with(LimiterOptions.NONE.withPrefix("order-" + prefix(connections)))
                    .build("k", 0.01, 40_000, 60);
            List<CompletableFuture<Decision>> hot = new ArrayList<>();
            Map<String, List<CompletableFuture<Decision>>> cold = new LinkedHashMap<>();
            for (int i = 0; i < 1500; i++) {
                hot.add(limiter.on("hot").async().decide(1));
                String key = "cold" + i % 100;
                cold.computeIfAbsent(key, k -> new ArrayList<>())
                        .add(limiter.on(key).async().decide(1));
            }
            for (int i = 0; i < hot.size(); i++) {
                assertThat(hot.get(i).join().remaining()).as("hot %d", i).isEqualTo(Math.max(0, 399 - i));
            }
            cold.forEach((key, decisions) -> {
                for (int i = 0; i < decisions.size(); i++) {
                    assertThat(decisions.get(i).join().remaining())
                            .as("%s, %d", key, i)
                            .isEqualTo(399 - i);
                }
            });
        }
    }

    @ParameterizedTest
    @MethodSource("connections")
    void threads_on_many_slots_are_granted_exactly_the_limit(RedisConnectionFactory connections) {
        RateLimiter limiter = RedisFixture.builder(connections)
                .build()
                .with(LimiterOptions.NONE.withPrefix("exact-" + prefix(connections)))
                .build("k", 0.01, 2000, 60);
        AtomicInteger granted = new AtomicInteger();
        Concurrently.run(6, () -> {
            for (int i = 0; i < 100; i++) {
                granted.addAndGet(limiter.tryAcquire("key" + i % 10) ? 1 : 0);
            }
        });
        assertThat(granted).hasValue(10 * 20);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void only_keys_of_one_slot_share_a_lane(RedisConnectionFactory connections) {
        ScriptBackend engine = RedisFixture.scriptBackend(connections);
        assertThat(engine.lanes()).isEqualTo(16_384);
        assertThat(engine.laneOf("rateLimit:{k:a}")).isEqualTo(engine.laneOf("countLimit:{k:a}"));
        assertThat(engine.laneOf("rateLimit:{k:a}")).isNotEqualTo(engine.laneOf("rateLimit:{k:b}"));
    }

    @ParameterizedTest
    @MethodSource("connections")
    void requests_for_different_keys_share_calls(RedisConnectionFactory connections) throws Exception {
        try (RedisRateLimiterFactory factory =
                RedisFixture.builder(connections).rejectionCacheSize(0).build()) {
            RateLimiter limiter = factory.with(LimiterOptions.NONE.withPrefix("shared-" + prefix(connections)))
                    .build("k", 0.01, 100, 60);
            // Loads the script, and connects.
            IntStream.range(0, 100)
                    .mapToObj(i -> limiter.on("first" + i).async().decide(1))
                    .toList()
                    .forEach(CompletableFuture::join);
            long calls = scriptCalls();
            List<CompletableFuture<Decision>> decisions = new ArrayList<>();
            signal("STOP");
            try {
                for (int i = 0; i < 2_000; i++) {
                    decisions.add(limiter.on("user" + i).async().decide(1));
                }
            } finally {
                signal("CONT");
            }
            assertThat(decisions).allMatch(decision -> decision.join().isGranted());
            // One while the masters are stopped and one after it, for each hash tag; more on a slow machine.
            assertThat(scriptCalls() - calls).isLessThan(1_000);
        }
    }

    @ParameterizedTest
    @MethodSource("connections")
    void the_stored_key_has_a_hash_tag_by_the_first_key(RedisConnectionFactory connections) {
        HashTags tags = new HashTags(7, SlotHash::getSlot);
        for (int count : new int[] {0, 7}) {
            String name = "layout" + count;
            KeySpace keys =
                    new KeySpace("", prefix(connections), name, "", true, () -> count == 0 ? HashTags.NONE : tags);
            try (RedisRateLimiterFactory factory =
                    RedisFixture.builder(connections).hashTags(count).build()) {
                RateLimiter limiter = factory.with(LimiterOptions.NONE.withPrefix(prefix(connections)))
                        .build(name, 0.01, 100, 60);
                assertThat(limiter.tryAcquire("ann")).isTrue();
                assertThat(limiter.on("ann").on("phone").tryAcquire()).isTrue();
                assertThat(limiter.tryAcquire()).isTrue();
            }
            List<String> stored = cluster.nodes().stream()
                    .flatMap(node ->
                            Resources.commands(node, commands -> commands.keys(prefix(connections) + "*" + name + "*"))
                                    .stream())
                    .toList();
            assertThat(stored).containsExactlyInAnyOrder(keys.own(), keys.of("ann"), keys.of(List.of("ann", "phone")));
        }
    }

    @ParameterizedTest
    @MethodSource("connections")
    void a_batch_and_a_set_are_decided_while_their_slot_moves(RedisConnectionFactory connections) {
        TestCluster moving = RESOURCES.cluster(2);
        RedisClusterConfiguration where = new RedisClusterConfiguration(moving.nodes());
        RedisConnectionFactory clients = switch (CONNECTIONS.indexOf(connections)) {
            case 0 -> RESOURCES.lettuce(where);
            case 1 -> RESOURCES.jedis(where);
            default -> RESOURCES.redisson(where);
        };
        ScriptBackend engine = RedisFixture.scriptBackend(clients);
        FixedWindow three = FixedWindow.of(3, Duration.ofDays(1));
        List<KeyRequests<?>> stay = batch(three, "{slot}moved", "{slot}stayed");
        decideIn(engine, stay);
        moving.beginToMove(
                "{slot}moved",
                moving.nodes().stream()
                        .filter(node -> !node.equals(moving.nodeOf("{slot}moved")))
                        .findFirst()
                        .orElseThrow());
        List<Answer> answers = decideIn(engine, batch(three, "{slot}moved", "{slot}stayed", "{slot}new"));
        assertThat(answers).extracting(Answer::failure).containsOnlyNulls();
        assertThat(answers)
                .extracting(answer -> answer.verdicts().get(0).remaining())
                .containsExactly(1L, 1L, 2L);
        assertThat(startSetsIn(
                        engine,
                        List.of(
                                batch(three, "{slot}moved", "{slot}stayed", "{slot}new"),
                                batch(three, "{slot}newer", "{slot}newest"))))
                .as("sets of one call, of which neither is decided in one")
                .extracting(set -> set.join().stream().map(Verdict::remaining).toList())
                .containsExactly(List.of(0L, 0L, 1L), List.of(2L, 2L));
        List<KeyRequests<?>> refunds = List.of(
                new KeyRequests<>("{slot}moved", three, List.of(Request.refund(1))),
                new KeyRequests<>("{slot}stayed", three, List.of(Request.refund(1))));
        assertThat(decideIn(engine, refunds))
                .as("refunds, which Redis decides only without a key that says that they were executed")
                .allSatisfy(answer -> {
                    assertThat(answer.failure()).isNull();
                    assertThat(answer.verdicts().get(0).remaining()).isEqualTo(1);
                });
    }

    private static List<KeyRequests<?>> batch(LimitStep<?> limit, String... keys) {
        List<KeyRequests<?>> batch = new ArrayList<>();
        for (String key : keys) {
            batch.add(new KeyRequests<>(key, limit, List.of(Request.take(1, 0))));
        }
        return batch;
    }

    private static void signal(String signal) {
        cluster.nodes().forEach(node -> TestCluster.signal(cluster.processId(node), signal));
    }

    @ParameterizedTest
    @MethodSource("connections")
    void a_set_is_a_call_for_each_slot(RedisConnectionFactory connections) {
        LimiterFactory limiters = RedisFixture.builder(connections)
                .rejectionCacheSize(0)
                .build()
                .with(LimiterOptions.NONE.withPrefix("set-" + prefix(connections)));
        RateLimiter perSecond = limiters.build("perSecond", 0.001, 4000, 60);
        Limiter perDay = limiters.build("perDay", FixedWindow.of(3, Duration.ofDays(1)));
        RateLimiter perHour = limiters.build("perHour", TokenBucket.of(0.001, 9000));
        for (String user : List.of("a", "b", "c")) {
            LimitSet inSeveralSlots = LimitSet.of(perSecond.on(user), perDay.on(user + "-day"));
            LimitSet ofTwoTenants = LimitSet.of(
                    perSecond.on(user + "-one").on(user),
                    perHour.on(user + "-other"),
                    perHour.on(user + "-one"),
                    perDay.on(user + "-other"));
            LimitSet ofOneKey = LimitSet.of(perSecond.on(user + "-key"), perDay.on(user + "-key"));
            LimitSet inOneSlot = LimitSet.of(
                    perSecond.on(user + "-tenant").on(user),
                    perHour.on(user + "-tenant"),
                    perDay.on(user + "-tenant").on(user + "-day"));
            LimitSet ofOneName = LimitSet.of(
                    limiters.build(user + "/second", 0.001, 4000, 60),
                    limiters.build(user + "/perDay", FixedWindow.of(3, Duration.ofDays(1))));
            for (LimitSet set : List.of(inSeveralSlots, ofTwoTenants, ofOneKey, inOneSlot, ofOneName)) {
                int slots = set == inSeveralSlots || set == ofTwoTenants ? 2 : 1;
                // Scripts may have to be loaded first, which is a call too.
                assertThat(set.tryAcquire()).isTrue();
                set.peek();
                long calls = scriptCalls();
                assertThat(set.decide(1).isGranted()).isTrue();
                assertThat(set.async().decide(1).join().isGranted()).isTrue();
                assertThat(scriptCalls() - calls).as("%s", set).isEqualTo(2 * slots);
                calls = scriptCalls();
                SetDecision rejected = set.decide(1);
                assertThat(scriptCalls() - calls).as("%s", set).isEqualTo(set == ofTwoTenants ? 3 : slots);
                assertThat(rejected.rejectedBy().orElseThrow()).endsWith("perDay");
                assertThat(rejected.parts())
                        .extracting(part -> part.decision().remaining())
                        .startsWith(1L)
                        .endsWith(0L);
                assertThat(set.async().decide(1).join().rejectedBy().orElseThrow())
                        .endsWith("perDay");
                assertThat(set.peek(1).parts())
                        .extracting(part -> part.decision().remaining())
                        .startsWith(1L)
                        .endsWith(0L);
            }
            assertThat(perHour.on(user + "-one").peek().remaining()).isEqualTo(6);
            assertThat(perHour.on(user + "-other").peek().remaining()).isEqualTo(6);
        }
        assertThat(perSecond.on("a").peek().remaining()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void a_set_over_several_slots_is_rejected_by_the_one_with_the_longest_wait(RedisConnectionFactory connections) {
        LimiterFactory limiters = RedisFixture.builder(connections)
                .build()
                .with(LimiterOptions.NONE.withPrefix("longest-" + prefix(connections)));
        Limiter minute = limiters.build("minute", FixedWindow.of(1, Duration.ofMinutes(1)));
        Limiter week = limiters.build("week", FixedWindow.of(1, Duration.ofDays(7)));
        for (LimitSet set :
                List.of(LimitSet.of(minute.on("a"), week.on("b")), LimitSet.of(week.on("c"), minute.on("d")))) {
            assertThat(set.tryAcquire()).isTrue();
            assertThat(set.decide().rejectedBy()).contains("week");
        }
    }

    @ParameterizedTest
    @MethodSource("connections")
    void rejected_sets_over_several_slots_take_nothing(RedisConnectionFactory connections) {
        LimiterFactory limiters = RedisFixture.builder(connections)
                .rejectionCacheSize(0)
                .build()
                .with(LimiterOptions.NONE.withPrefix("sets-" + prefix(connections)));
        Duration day = Duration.ofDays(1);
        RejectedSets.check(
                limiters.build("full", 0.001, 50_000, 60), limiters.build("empty", FixedWindow.of(1, day)), () -> {});
        RejectedSets.checkRandom(
                List.of(
                        limiters.build("bucket", 0.001, 60_000, 60),
                        limiters.build("window", FixedWindow.of(40, day)),
                        limiters.build("log", SlidingLog.of(30, day)),
                        limiters.build("counter", SlidingCounter.of(50, day))),
                50,
                () -> {});
    }

    @ParameterizedTest
    @MethodSource("connections")
    void leases_are_granted_on_every_master(RedisConnectionFactory connections) {
        RedisConnectionFactory other = CONNECTIONS.get((CONNECTIONS.indexOf(connections) + 1) % CONNECTIONS.size());
        SharedLeases.check(connections, other, "holding-" + prefix(connections) + prefix(other));
    }

    /** On all masters. */
    private static long scriptCalls() {
        Pattern calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");
        return cluster.nodes().stream()
                .map(node -> cluster.info(node, "commandstats"))
                .flatMap(info -> calls.matcher(info).results())
                .mapToLong(match -> Long.parseLong(match.group(1)))
                .sum();
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
