package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ReadFrom;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Lease;
import io.limiter.Limiter;
import io.limiter.LimiterBackendDownEvent;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.LimiterListener;
import io.limiter.Reservation;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Call;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.step.Request;
import io.limiter.testing.MuteProxy;
import io.limiter.testing.MuteProxy.Replies;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.StepHook;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A connection that breaks after Redis has executed its commands, and is restored before any timeout. Lettuce then sends
 * unanswered commands again, unless they were cancelled; in a Cluster, also cancelled ones.
 */
class SentOnceTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final TokenBucket HUNDRED = TokenBucket.of(0.01, 10_000);

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    // Before Redis, which in a Cluster says that it is there.
    private final MuteProxy proxy = resources.proxyTo(0);

    /** How the client knows where Redis is. */
    enum Topology {
        STANDALONE,
        READ_FROM,
        MASTER_AND_REPLICAS,
        CLUSTER
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CLUSTER")
    void a_decision_by_script_is_sent_once(Topology topology) {
        LettuceConnectionFactory connections = connect(topology);
        try (RedisRateLimiterFactory factory =
                RedisFixture.builder(connections).rejectionCacheSize(0).build()) {
            Limiter limiter = factory.build("k", HUNDRED);
            for (int taken = 0; taken < 5; taken++) {
                awaitRemaining(limiter, 100 - taken);
                proxy.replies(Replies.CUT_OFF_ONCE);
                failsOnce(limiter);
            }
            awaitRemaining(limiter, 95);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CLUSTER")
    void a_save_under_a_lock_is_sent_once(Topology topology) {
        LettuceConnectionFactory connections = connect(topology);
        try (RedisRateLimiterFactory factory = RedisFixture.builder(connections)
                .rejectionCacheSize(0)
                .lock((key, wait) -> () -> {})
                .build()) {
            AtomicBoolean armed = new AtomicBoolean();
            Runnable breakNext = () -> {
                if (armed.getAndSet(false)) {
                    proxy.replies(Replies.CUT_OFF_ONCE);
                }
            };
            Limiter limiter = factory.build("k", new StepHook<>(HUNDRED, breakNext, Integer.MAX_VALUE));
            assertThat(limiter.decide(1).isGranted()).isTrue();
            for (int taken = 1; taken < 5; taken++) {
                awaitRemaining(limiter, 100 - taken);
                armed.set(true);
                failsOnce(limiter);
            }
            awaitRemaining(limiter, 95);
        }
    }

    /** Lettuce sends it again, and Redis knows that it has executed it. */
    @Test
    void a_cancellation_in_a_cluster_is_executed_once() {
        LettuceConnectionFactory connections = connect(Topology.CLUSTER);
        try (RedisRateLimiterFactory factory =
                RedisFixture.builder(connections).rejectionCacheSize(0).build()) {
            for (Limit limit : List.of(
                    HUNDRED, FixedWindow.of(100, Duration.ofDays(1)), SlidingCounter.of(100, Duration.ofDays(1)))) {
                Limiter limiter = factory.build("k", limit).on("ann");
                awaitRemaining(limiter, 100);
                limiter.decide(50);
                Reservation reservation = limiter.reserve(5);
                proxy.replies(Replies.CUT_OFF_ONCE);
                assertThatThrownBy(reservation::cancel)
                        .as("its first reply is lost, and the second does not say what was decided")
                        .isInstanceOfSatisfying(
                                LimiterBackendException.class,
                                e -> assertThat(e.kind()).as(e.toString()).isEqualTo(Kind.AMBIGUOUS));
                awaitRemaining(limiter, 50);
                assertThat(limiter.refund(5).remaining()).isEqualTo(55);
            }
        }
    }

    /** What shares the call of a cancellation is executed once, too, and neither has a decision. */
    @Test
    void takes_in_the_same_call_as_a_cancellation_in_a_cluster_are_executed_once() {
        ScriptBackend backend = RedisFixture.scriptBackend(connect(Topology.CLUSTER));
        Request peek = Request.take(1, 0).asPeek();
        assertThat(decide(backend, Map.of("{k}ann", List.of(Request.take(50, 0)))))
                .extracting(Answer::failure)
                .containsOnlyNulls();
        proxy.replies(Replies.CUT_OFF_ONCE);
        Map<String, List<Request>> shared = new TreeMap<>();
        shared.put("{k}ann", List.of(Request.refund(5), Request.take(10, 0)));
        shared.put("{k}ben", List.of(Request.take(1, 0)));
        assertThat(decide(backend, shared))
                .hasSize(2)
                .allSatisfy(answer -> assertThat(answer.failure())
                        .isNotNull()
                        .satisfies(failure -> assertThat(failure.kind()).isEqualTo(Kind.AMBIGUOUS)));
        shared.replaceAll((key, requests) -> List.of(peek));
        assertThat(decide(backend, shared))
                .extracting(answer -> answer.verdicts().get(0).remaining())
                .containsExactly(45L, 99L);
    }

    private static List<Answer> decide(ScriptBackend backend, Map<String, List<Request>> requests) {
        CompletableFuture<List<Answer>> answers = new CompletableFuture<>();
        List<KeyRequests<?>> keys = new ArrayList<>();
        requests.forEach((key, ofKey) -> keys.add(new KeyRequests<>(key, HUNDRED, ofKey)));
        backend.start(new Call(keys, false, () -> true, answers::complete));
        return answers.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Redis has answered all of them, although no answer says what it decided. */
    @Test
    void cancellations_in_a_cluster_that_are_repeated_open_no_circuit_breaker() {
        LettuceConnectionFactory connections = connect(Topology.CLUSTER);
        AtomicInteger downs = new AtomicInteger();
        LimiterListener listener = new LimiterListener() {
            @Override
            public void onBackendDown(LimiterBackendDownEvent event) {
                downs.incrementAndGet();
            }
        };
        try (RedisRateLimiterFactory factory = RedisFixture.builder(connections)
                .rejectionCacheSize(0)
                .listener(listener)
                .build()) {
            Limiter limiter = factory.build("k", HUNDRED);
            awaitRemaining(limiter, 100);
            List<Reservation> reservations = IntStream.range(0, 20)
                    .mapToObj(i -> limiter.on("key" + i).reserve(5))
                    .toList();
            // So that all are executed before the first reply.
            Resources.commands(proxy.port(), commands -> commands.clientPause(300));
            proxy.replies(Replies.CUT_OFF_ONCE);
            List<CompletableFuture<Boolean>> cancelled =
                    reservations.stream().map(Reservation::cancelAsync).toList();
            assertThat(cancelled)
                    .filteredOn(
                            each -> each.handle((done, error) -> error != null).join())
                    .as("cancellations that were repeated")
                    .hasSizeGreaterThan(5);
            assertThat(limiter.on("key0").decide(1).source()).isEqualTo(Decision.Source.BACKEND);
            assertThat(downs).hasValue(0);
        }
    }

    /** A release names its lease, so Redis need not know that it has executed it. */
    @Test
    void a_release_in_a_cluster_is_repeated_and_leaves_nothing_behind() {
        LettuceConnectionFactory connections = connect(Topology.CLUSTER);
        try (RedisRateLimiterFactory factory =
                RedisFixture.builder(connections).rejectionCacheSize(0).build()) {
            awaitRemaining(factory.build("k", HUNDRED), 100);
            ConcurrencyLimiter limiter = factory.build("held", ConcurrencyLimit.of(2));
            Lease lease = limiter.acquire(1, Duration.ZERO);
            proxy.replies(Replies.CUT_OFF_ONCE);
            lease.close();
            assertThat(limiter.inUse()).isZero();
            try (RedisClusterConnection connection = connections.getClusterConnection()) {
                assertThat(connection.keyCommands().keys("*:call:*".getBytes(StandardCharsets.UTF_8)))
                        .isEmpty();
            }
        }
    }

    @Test
    void a_decision_over_a_connection_that_a_probe_has_opened() {
        LettuceConnectionFactory connections = connect(Topology.STANDALONE);
        try (RedisRateLimiterFactory factory = RedisFixture.builder(connections)
                .rejectionCacheSize(0)
                .decisionTimeout(Duration.ofSeconds(1))
                .build()) {
            Limiter limiter = factory.build("k", HUNDRED);
            awaitRemaining(limiter, 100);
            proxy.forgetConnections();
            List<CompletableFuture<Decision>> unanswered =
                    IntStream.range(0, 5).mapToObj(i -> limiter.async().peek(1)).toList();
            unanswered.forEach(peek -> assertThat(peek).failsWithin(PATIENCE));
            for (int taken = 0; taken < 5; taken++) {
                awaitRemaining(limiter, 100 - taken);
                proxy.replies(Replies.CUT_OFF_ONCE);
                failsOnce(limiter);
            }
            awaitRemaining(limiter, 95);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @EnumSource
    void the_connections_keep_no_reference_to_a_closed_factory(Topology topology) {
        LettuceConnectionFactory connections = connect(topology);
        WeakReference<EngineObserver> observer = used(connections);
        Awaitility.await().atMost(PATIENCE).until(() -> {
            System.gc();
            return observer.get() == null;
        });
    }

    private static WeakReference<EngineObserver> used(LettuceConnectionFactory connections) {
        AtomicInteger calls = new AtomicInteger();
        EngineObserver observer = new EngineObserver() {
            @Override
            public void called(long nanos, boolean failed) {
                calls.incrementAndGet();
            }
        };
        try (RedisRateLimiterFactory factory =
                RedisFixture.builder(connections).listener(observer).build()) {
            assertThat(factory.build("k", HUNDRED).on("ann").decide(1).isGranted())
                    .isTrue();
            assertThat(calls).hasPositiveValue();
        }
        return new WeakReference<>(observer);
    }

    private static void failsOnce(Limiter limiter) {
        assertThatThrownBy(() -> limiter.decide(1))
                .isInstanceOfSatisfying(
                        LimiterBackendException.class,
                        e -> assertThat(e.kind()).as(e.toString()).isEqualTo(Kind.AMBIGUOUS));
    }

    private static void awaitRemaining(Limiter limiter, long remaining) {
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(LimiterBackendException.class)
                .until(() -> limiter.peek(1) != null);
        assertThat(limiter.peek(1).remaining()).isEqualTo(remaining);
    }

    /** Of one node, which says that it is where the proxy is. */
    private static void formCluster(int port) {
        Resources.commands(
                port,
                commands -> commands.clusterAddSlots(
                        IntStream.range(0, SlotHash.SLOT_COUNT).toArray()));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() ->
                        Resources.commands(port, RedisCommands::clusterInfo).contains("cluster_state:ok"));
    }

    /** Starts a Redis of that kind, too. */
    private LettuceConnectionFactory connect(Topology topology) {
        int port = proxy.port();
        RedisProcess redis;
        if (topology == Topology.CLUSTER) {
            redis = resources.redis(
                    "--cluster-enabled",
                    "yes",
                    "--cluster-announce-ip",
                    "127.0.0.1",
                    "--cluster-announce-port",
                    Integer.toString(port));
            formCluster(redis.port());
        } else {
            redis = resources.redis();
        }
        proxy.redirectTo(redis.port());
        RedisConfiguration where = switch (topology) {
            case STANDALONE, READ_FROM -> new RedisStandaloneConfiguration("127.0.0.1", port);
            case MASTER_AND_REPLICAS -> new RedisStaticMasterReplicaConfiguration("127.0.0.1", port);
            case CLUSTER -> new RedisClusterConfiguration(List.of("127.0.0.1:" + port));
        };
        LettuceClientConfiguration.LettuceClientConfigurationBuilder how = Resources.lettuceWaiting(PATIENCE);
        if (topology == Topology.READ_FROM) {
            how.readFrom(ReadFrom.UPSTREAM_PREFERRED);
        }
        return resources.lettuce(where, how.build());
    }
}
