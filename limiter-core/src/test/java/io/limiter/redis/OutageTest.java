package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Eventually;
import io.limiter.testing.MuteProxy;
import io.limiter.testing.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.AbstractThrowableAssert;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A Redis that really becomes unavailable. Clients would wait for two minutes, so a caller that returns while Redis is
 * stopped did not wait for it; how long it did wait is printed, because a slow machine can make anything last.
 */
@Execution(ExecutionMode.CONCURRENT)
class OutageTest {

    private static final Duration CLIENT_TIMEOUT = Duration.ofMinutes(2);
    private static final int LIMIT = 100;

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private RedisProcess redis = resources.redis();
    private RedisRateLimiterFactory factory;

    @ParameterizedTest
    @EnumSource
    void while_redis_is_stopped_each_instance_decides_alone_without_waiting(Setup setup) {
        Limiter limiter = limiter(setup, FailurePolicy.local(0.5));
        long takenLocally = takeFromRedis(limiter, 30);
        redis.stop();
        Map<Source, AtomicLong> granted = load(limiter, 8, 50);
        assertThat(granted.get(Source.LOCAL)).as("half of the limit").hasValue(LIMIT / 2 - takenLocally);
        assertThat(granted.get(Source.BACKEND)).hasValue(0);
        assertThat(factory.backendState().up()).isFalse();
        redis.goOn();
        awaitRedis(limiter);
        assertThat(limiter.on("k").peek(1))
                .as("what was sent before is spent")
                .matches(decision -> decision.source() != Source.BACKEND || decision.remaining() <= LIMIT - 30);
    }

    @ParameterizedTest
    @EnumSource
    void a_redis_that_restarts_empty_decides_again(Setup setup) throws Exception {
        Limiter limiter = limiter(setup, FailurePolicy.LOCAL);
        long takenLocally = takeFromRedis(limiter, 30);
        redis.kill();
        Map<Source, AtomicLong> granted = load(limiter, 8, 50);
        assertThat(granted.get(Source.LOCAL)).hasValue(LIMIT - takenLocally);
        redis.startAgain();
        awaitRedis(limiter);
    }

    @Test
    void a_paused_redis_is_unavailable_like_a_stopped_one() {
        Limiter limiter = limiter(Setup.LETTUCE, FailurePolicy.DENY);
        takeFromRedis(limiter, 30);
        Resources.commands(redis.port(), commands -> commands.clientPause(3_600_000));
        Map<Source, AtomicLong> granted = load(limiter, 8, 50);
        assertThat(granted.values()).allMatch(count -> count.get() == 0);
        Decision rejected = limiter.decide("k");
        assertThat(rejected.source()).isEqualTo(Source.POLICY);
        assertThat(rejected.retryAfterMicros()).isPositive();
    }

    @Test
    void asynchronous_callers_fail_as_fast() {
        Limiter limiter = limiter(Setup.LETTUCE, FailurePolicy.ALLOW);
        takeFromRedis(limiter, 1);
        redis.stop();
        CompletableFuture<?>[] decisions = new CompletableFuture<?>[1000];
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = limiter.on("k").async().decide(1).thenAccept(decision -> {
                assertThat(decision.isGranted()).isTrue();
                assertThat(decision.source()).isEqualTo(Source.POLICY);
            });
        }
        assertThat(CompletableFuture.allOf(decisions)).succeedsWithin(CLIENT_TIMEOUT.dividedBy(2));
    }

    @Test
    void script_flushes_fail_no_decision() {
        Limiter limiter = limiter(Setup.LETTUCE, FailurePolicy.THROW, Duration.ofMinutes(1));
        RedisClient client = RedisClient.create("redis://127.0.0.1:" + redis.port());
        AtomicBoolean ended = new AtomicBoolean();
        RedisCommands<String, String> commands = client.connect().sync();
        Thread flushing = new Thread(() -> {
            while (!ended.get()) {
                commands.scriptFlush();
            }
        });
        flushing.start();
        try {
            Map<Source, AtomicLong> granted = load(limiter, 4, 100);
            assertThat(granted.get(Source.BACKEND)).hasValue(LIMIT);
        } finally {
            ended.set(true);
            // An exception that it throws after its client was shut down would fail a test that waits at the same time
            // as this one.
            Uninterruptibles.joinUninterruptibly(flushing);
            client.shutdown();
        }
    }

    @Test
    void with_a_full_redis_the_policy_decides_and_requests_are_still_sent() {
        Limiter limiter = limiter(Setup.LETTUCE, FailurePolicy.DENY, Duration.ofMinutes(1));
        Resources.commands(redis.port(), commands -> commands.configSet("maxmemory-policy", "noeviction"));
        Resources.commands(redis.port(), commands -> commands.configSet("maxmemory", "1"));
        for (int i = 0; i < 20; i++) {
            Decision decision = limiter.decide("k");
            assertThat(decision.isGranted()).isFalse();
            assertThat(decision.source()).isEqualTo(Source.POLICY);
        }
        assertThat(factory.backendState().up()).isTrue();
        Resources.commands(redis.port(), commands -> commands.configSet("maxmemory", "0"));
        assertThat(limiter.decide("k").source()).isEqualTo(Source.BACKEND);
    }

    @Test
    void missing_rights_are_reported_with_the_remedy() {
        Limiter limiter = limiter(Setup.LETTUCE, FailurePolicy.THROW, Duration.ofMinutes(1));
        takeFromRedis(limiter, 1);
        Resources.commands(
                redis.port(),
                commands -> commands.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.EVALSHA)));
        assertPermanent(limiter, "NOPERM").hasMessageContaining("docs/operations/README.md");
        assertThat(factory.backendState().up()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void a_server_without_TIME_in_scripts_is_reported_with_the_remedy(Setup setup) {
        redis = resources.redis("--rename-command", "TIME", "");
        factory = factory(setup, FailurePolicy.THROW, Duration.ofMinutes(1));
        Limiter limiter = factory.build("k", FixedWindow.of(LIMIT, Duration.ofHours(1)));
        assertPermanent(limiter, "NOTIME").hasMessageContaining("allow the command TIME in scripts");
    }

    private static AbstractThrowableAssert<?, ?> assertPermanent(Limiter limiter, String problem) {
        return assertThatThrownBy(() -> limiter.decide("k"))
                .isInstanceOfSatisfying(LimiterBackendException.class, e -> {
                    assertThat(e.kind()).isEqualTo(Kind.PERMANENT);
                    assertThat(e.problem()).isEqualTo(problem);
                    assertThat(e.isAmbiguous()).isFalse();
                });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PASSED_ON")
    void a_request_executed_without_a_reply_is_not_sent_again(MuteProxy.Replies replies) {
        MuteProxy proxy = resources.proxyTo(redis.port());
        factory = resources.closing(RedisRateLimiterFactory.builder(connect(Setup.LETTUCE, proxy.port()))
                .failurePolicy(FailurePolicy.THROW)
                .probeInterval(Duration.ofMillis(50))
                .build());
        Limiter limiter = factory.build("k", FixedWindow.of(LIMIT, Duration.ofHours(1)));
        awaitRedis(limiter);
        for (int round = 0; round < 5; round++) {
            long before = awaitRemaining(limiter);
            proxy.replies(replies);
            assertThatThrownBy(() -> limiter.decide("k"))
                    .isInstanceOfSatisfying(
                            LimiterBackendException.class,
                            e -> assertThat(e.isAmbiguous()).as(e.toString()).isTrue());
            proxy.replies(MuteProxy.Replies.PASSED_ON);
            assertThat(awaitRemaining(limiter)).isEqualTo(before - 1);
        }
    }

    /** Of those made before the outage; permits that this instance granted return to it. */
    @ParameterizedTest
    @EnumSource
    void a_cancellation_that_redis_does_not_execute_returns_nothing_and_says_so(Setup setup) {
        limiter(setup, FailurePolicy.LOCAL);
        RateLimiter bucket = factory.build("bucket", 1, 10, 60);
        List<Reservation> made = new ArrayList<>();
        for (FailurePolicy policy : List.of(FailurePolicy.LOCAL, FailurePolicy.ALLOW, FailurePolicy.DENY)) {
            for (int i = 0; i < 2; i++) {
                RateLimiter limiter = factory.with(LimiterOptions.NONE.withFailurePolicy(policy))
                        .build("bucket", 1, 10, 60);
                made.add(Awaitility.await()
                        .atMost(CLIENT_TIMEOUT)
                        .until(() -> limiter.reserve(1), one -> one.decision().source() == Source.BACKEND));
            }
        }
        redis.stop();
        for (int i = 0; i < made.size(); i += 2) {
            assertThat(made.get(i).cancel()).isFalse();
            assertThat(made.get(i + 1).cancelAsync())
                    .succeedsWithin(CLIENT_TIMEOUT)
                    .isEqualTo(false);
        }
        RateLimiter open = factory.with(LimiterOptions.NONE.withFailurePolicy(FailurePolicy.ALLOW))
                .build("bucket", 1, 10, 60);
        assertThat(open.reserve(3).cancel()).as("nothing was taken").isFalse();
        assertThat(open.reserve(3).cancelAsync().join()).isFalse();
        Reservation local = bucket.reserve(3);
        assertThat(local.decision().source()).isEqualTo(Source.LOCAL);
        assertThat(local.cancel()).isTrue();
        redis.goOn();
    }

    @Test
    void in_an_outage_leases_are_granted_locally() {
        limiter(Setup.LETTUCE, FailurePolicy.LOCAL);
        ConcurrencyLimiter local = factory.build("c", ConcurrencyLimit.of(2));
        ConcurrencyLimiter open = factory.with(LimiterOptions.NONE.withFailurePolicy(FailurePolicy.ALLOW))
                .build("c", ConcurrencyLimit.of(2));
        ConcurrencyLimiter shut = factory.with(LimiterOptions.NONE.withFailurePolicy(FailurePolicy.DENY))
                .build("c", ConcurrencyLimit.of(2));
        redis.stop();
        Optional<Lease> first = local.tryAcquire("k");
        Optional<Lease> second = local.tryAcquire("k");
        assertThat(first).isPresent();
        assertThat(second).isPresent();
        assertThat(local.tryAcquire("k")).isEmpty();
        first.get().close();
        assertThat(local.tryAcquire("k")).isPresent();
        for (int i = 0; i < 5; i++) {
            assertThat(open.tryAcquire("k")).get().matches(Lease::isHeld);
            assertThat(shut.tryAcquire("k")).isEmpty();
        }
        redis.goOn();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "THROW")
    void a_caller_that_waits_for_a_window_when_redis_stops_is_answered_by_the_failure_policy(
            FailurePolicy.Action action) {
        limiter(Setup.LETTUCE, FailurePolicy.of(action));
        Limiter window = factory.build("window", FixedWindow.of(1, Duration.ofSeconds(2)));
        CompletableFuture<Decision> waiting;
        while (true) {
            takeFromRedis(window, 1);
            waiting = window.async().on("k").decide(1, Duration.ofMinutes(10));
            redis.stop();
            if (!waiting.isDone()) {
                break;
            }
            // The machine was so slow that the window had ended.
            redis.goOn();
        }
        Decision decision = waiting.join();
        assertThat(decision.source()).isEqualTo(action == FailurePolicy.Action.LOCAL ? Source.LOCAL : Source.POLICY);
        // Without live limits, no instance is known to own the key.
        assertThat(decision.isGranted())
                .isEqualTo(action == FailurePolicy.Action.LOCAL || action == FailurePolicy.Action.ALLOW);
    }

    private Limiter limiter(Setup setup, FailurePolicy policy) {
        return limiter(setup, policy, RedisRateLimiterFactory.Builder.DEFAULT_DECISION_TIMEOUT);
    }

    private Limiter limiter(Setup setup, FailurePolicy policy, Duration decisionTimeout) {
        factory = factory(setup, policy, decisionTimeout);
        Eventually.that(() -> assertThat(factory.warmUp().join()).isTrue());
        Limiter limiter = factory.build("k", FixedWindow.of(LIMIT, Duration.ofHours(1)));
        awaitRedis(limiter);
        return limiter;
    }

    private RedisRateLimiterFactory factory(Setup setup, FailurePolicy policy, Duration decisionTimeout) {
        RedisConnectionFactory connections = connect(setup, redis.port());
        RedisRateLimiterFactory.Builder builder = RedisRateLimiterFactory.builder(connections)
                .failurePolicy(policy)
                .decisionTimeout(decisionTimeout);
        return resources.closing(setup.on(builder, connections, () -> resources.redisson(Resources.at(redis.port())))
                .build());
    }

    private RedisConnectionFactory connect(Setup setup, int port) {
        return setup == Setup.JEDIS
                ? resources.jedis(Resources.at(port), Resources.jedisWaiting(CLIENT_TIMEOUT))
                : resources.lettuce(
                        Resources.at(port),
                        Resources.lettuceWaiting(CLIENT_TIMEOUT).build());
    }

    /** Returns how many permits were granted by this instance, before Redis has answered in time on a slow machine. */
    private static long takeFromRedis(Limiter limiter, long permits) {
        AtomicLong takenLocally = new AtomicLong();
        Awaitility.await().atMost(CLIENT_TIMEOUT).until(() -> {
            Decision decision = limiter.on("k").decide(permits);
            if (decision.isGranted() && decision.source() == Source.LOCAL) {
                takenLocally.addAndGet(permits);
            }
            return decision.source() == Source.BACKEND;
        });
        return takenLocally.get();
    }

    /** Calls from many threads, and counts grants by source. */
    private static Map<Source, AtomicLong> load(Limiter limiter, int threads, int each) {
        Map<Source, AtomicLong> granted = new EnumMap<>(Source.class);
        for (Source source : Source.values()) {
            granted.put(source, new AtomicLong());
        }
        Concurrently.run(threads, () -> {
            for (int i = 0; i < each; i++) {
                Decision decision = limiter.decide("k");
                if (decision.isGranted()) {
                    granted.get(decision.source()).incrementAndGet();
                }
            }
        });
        return granted;
    }

    /** What Redis has left for {@code k}. */
    private static long awaitRemaining(Limiter limiter) {
        return awaitPeek(limiter.on("k")).remaining();
    }

    private static void awaitRedis(Limiter limiter) {
        awaitPeek(limiter.on("recovery"));
    }

    private static Decision awaitPeek(Limiter limiter) {
        return AwaitedDecision.by(Source.BACKEND, () -> limiter.peek(1));
    }
}
