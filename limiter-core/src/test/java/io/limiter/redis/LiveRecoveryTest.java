package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.limiter.LimiterBackendException;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveSettings;
import io.limiter.testing.Eventually;
import io.limiter.testing.MuteProxy;
import io.limiter.testing.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Live limits after a Redis that was cut off, or has come back with what was true before, with real processes. */
class LiveRecoveryTest {

    private static final ChangeNote NOTE = ChangeNote.of("ann", "flood");

    private final RedisProcess redis = RedisProcess.start();
    private final MuteProxy proxy = MuteProxy.to(redis.port());
    private final LettuceConnectionFactory connections = connections(proxy.port());
    private final List<RedisRateLimiterFactory> fleet = new ArrayList<>();

    private static LettuceConnectionFactory connections(int port) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", port);
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    @AfterEach
    void close() throws Exception {
        fleet.forEach(RedisRateLimiterFactory::close);
        connections.destroy();
        proxy.close();
        redis.close();
    }

    @Test
    void an_old_snapshot_loses_to_all_that_the_fleet_knows() throws Exception {
        RedisRateLimiterFactory one = restoring();
        RedisRateLimiterFactory other = restoring();
        RedisRateLimiterFactory behind = restoring();
        put(one, "search", 200);
        put(one, "removed", 200);
        put(one, "rolled-back", 200);
        put(one, "rolled-back", 300);
        put(one, "same", 200);
        fleet.forEach(RedisRateLimiterFactory::pollLiveLimits);
        onRedis(redis, RedisCommands::save);

        put(one, "search", 100);
        behind.pollLiveLimits();
        put(one, "search", 50);
        one.live().orElseThrow().remove("removed", NOTE, 2);
        one.live().orElseThrow().rollBack(4, NOTE, 4);
        put(one, "new", 7);
        other.pollLiveLimits();
        assertThat(other.live().orElseThrow().version()).isEqualTo(10);
        List<LiveLimit> newest = one.live().orElseThrow().list();
        List<LiveChange> changes = one.live().orElseThrow().history();
        redis.kill();
        redis.startAgain();
        // It knows only what Redis has.
        Eventually.that(() -> assertThat(history(one)).isNotEmpty());
        RedisRateLimiterFactory fresh = restoring();
        assertThat(fresh.live()
                        .orElseThrow()
                        .get("search")
                        .orElseThrow()
                        .settings()
                        .rate())
                .isEqualTo(200);

        pollUntil(() -> {
            for (RedisRateLimiterFactory each : fleet) {
                assertThat(each.live().orElseThrow().list()).isEqualTo(newest);
                assertThat(each.build("search", TokenBucket.perSecond(1)).getRate())
                        .isEqualTo(50);
                assertThat(each.build("removed", TokenBucket.perSecond(1)).getRate())
                        .isEqualTo(1);
                assertThat(each.build("rolled-back", TokenBucket.perSecond(1)).getRate())
                        .isEqualTo(200);
            }
        });
        // Version 6 was known to the one that was behind: it may have written it back before the others wrote the newer
        // one.
        assertThat(one.live().orElseThrow().history())
                .extracting(LiveChange::version)
                .doesNotHaveDuplicates()
                .contains(1L, 2L, 3L, 4L, 5L, 7L, 8L, 9L, 10L);
        assertThat(changes)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("before")
                .containsAll(one.live().orElseThrow().history());
        assertThat(put(fresh, "search", 60).version()).isEqualTo(11);
    }

    @Test
    void an_instance_that_started_after_a_removal_knows_of_it() throws Exception {
        RedisRateLimiterFactory one = restoring();
        put(one, "search", 200);
        onRedis(redis, RedisCommands::save);
        one.live().orElseThrow().remove("search", NOTE, 1);
        RedisRateLimiterFactory late = restoring();
        one.close();
        redis.kill();
        redis.startAgain();
        fleet.remove(one);
        pollUntil(() -> assertThat(history(late)).hasSize(2));
        assertThat(late.live().orElseThrow().list()).isEmpty();
        assertThat(history(late)).extracting(LiveChange::version).containsExactly(2L, 1L);
    }

    @Test
    void a_replica_that_was_promoted_without_the_last_changes_gets_them() throws Exception {
        RedisRateLimiterFactory one = restoring();
        RedisRateLimiterFactory other = restoring();
        put(one, "search", 200);
        put(one, "other", 200);
        put(one, "both", 200);
        try (RedisProcess replica =
                RedisProcess.start("--replicaof", "127.0.0.1 " + redis.port(), "--repl-diskless-sync-delay", "0")) {
            Eventually.that(
                    () -> assertThat(this.<Long>onRedis(replica, commands -> commands.hlen("{limiter:live}:limits")))
                            .isEqualTo(3));
            // From now on it lacks what the master gets.
            onRedis(replica, RedisCommands::replicaofNoOne);
            put(one, "search", 50);
            put(one, "both", 90);
            put(one, "both", 80);
            pollUntil(() -> assertThat(other.live().orElseThrow().version()).isEqualTo(6));
            redis.kill();
            proxy.redirectTo(replica.port());
            // An application that knows nothing of the fleet changes a limit before the fleet comes back.
            LettuceConnectionFactory direct = connections(replica.port());
            try (RedisRateLimiterFactory stranger = factory(direct, false)) {
                stranger.pollLiveLimits();
                put(stranger, "other", 70);
                assertThat(put(stranger, "both", 60).version())
                        .as("later than what it replaces, with a lower version")
                        .isEqualTo(5);
            }
            direct.destroy();
            pollUntil(() -> {
                for (RedisRateLimiterFactory each : fleet) {
                    assertThat(each.live()
                                    .orElseThrow()
                                    .get("search")
                                    .orElseThrow()
                                    .settings()
                                    .rate())
                            .isEqualTo(50);
                    assertThat(each.live()
                                    .orElseThrow()
                                    .get("other")
                                    .orElseThrow()
                                    .settings()
                                    .rate())
                            .isEqualTo(70);
                    assertThat(each.live()
                                    .orElseThrow()
                                    .get("both")
                                    .orElseThrow()
                                    .settings()
                                    .rate())
                            .isEqualTo(60);
                }
            });
            assertThat(one.live().orElseThrow().history())
                    .as("each change once; two have one version, because they did not know each other")
                    .extracting(change -> change.name()
                            + change.after().orElseThrow().settings().rate())
                    .containsExactlyInAnyOrder(
                            "search50.0", "other70.0", "both60.0", "both200.0", "other200.0", "search200.0");
        }
    }

    @Test
    void the_first_decisions_after_a_cut_are_under_the_limit_of_now() throws Exception {
        LettuceConnectionFactory direct = connections(redis.port());
        try (RedisRateLimiterFactory cut = factory(connections, false);
                RedisRateLimiterFactory other = factory(direct, false)) {
            RateLimiter limiter = cut.build("search", TokenBucket.perSecond(100));
            cut.pollLiveLimits();
            assertThat(limiter.tryAcquire()).isTrue();
            proxy.replies(MuteProxy.Replies.CUT_OFF);
            Eventually.that(() -> {
                try {
                    limiter.tryAcquire();
                } catch (LimiterBackendException e) {
                    // The cut.
                }
                assertThat(cut.backendState().up()).isFalse();
            });
            put(other, "search", 10);
            assertThat(limiter.getRate()).isEqualTo(100);
            proxy.replies(MuteProxy.Replies.PASSED_ON);
            Eventually.that(() -> assertThat(cut.backendState().up()).isTrue());
            assertThat(limiter.getRate())
                    .as("without a poll of its own within the hour")
                    .isEqualTo(10);
        } finally {
            direct.destroy();
        }
    }

    private RedisRateLimiterFactory restoring() {
        RedisRateLimiterFactory factory = factory(connections, true);
        fleet.add(factory);
        factory.pollLiveLimits();
        return factory;
    }

    private static RedisRateLimiterFactory factory(LettuceConnectionFactory connections, boolean restores) {
        return RedisFixture.builder(connections)
                .liveLimits(LiveFleet.BY_HAND.restore(restores))
                .liveHints(false)
                .build();
    }

    /** All poll at once, again and again: on a slow machine, a poll or the new connection may take its time. */
    private void pollUntil(Runnable assertions) {
        LiveFleet.logged(() -> Eventually.that(() -> {
            CompletableFuture.allOf(fleet.stream()
                            .map(each -> CompletableFuture.runAsync(each::pollLiveLimits))
                            .toArray(CompletableFuture[]::new))
                    .join();
            assertions.run();
        }));
    }

    private static List<LiveChange> history(RedisRateLimiterFactory factory) {
        try {
            return factory.live().orElseThrow().history();
        } catch (LimiterBackendException e) {
            return List.of();
        }
    }

    private static LiveLimit put(RedisRateLimiterFactory factory, String name, double rate) {
        long expected =
                factory.live().orElseThrow().get(name).map(LiveLimit::version).orElse(0L);
        return factory.live()
                .orElseThrow()
                .put(name, LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(rate), NOTE, expected);
    }

    private <T> T onRedis(RedisProcess process, Function<RedisCommands<String, String>, T> run) {
        RedisClient client = RedisClient.create("redis://127.0.0.1:" + process.port());
        try (var connection = client.connect()) {
            return run.apply(connection.sync());
        } finally {
            client.shutdown(0, 0, java.util.concurrent.TimeUnit.SECONDS);
        }
    }
}
