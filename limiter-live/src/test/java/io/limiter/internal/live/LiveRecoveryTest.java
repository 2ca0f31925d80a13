package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.BY_HAND;
import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.logged;
import static io.limiter.internal.live.LiveFleet.put;
import static io.limiter.internal.live.LiveFleet.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.sync.RedisCommands;
import io.limiter.LimiterBackendException;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveLimit;
import io.limiter.redis.RedisFixture;
import io.limiter.redis.Resources;
import io.limiter.testing.Eventually;
import io.limiter.testing.MuteProxy;
import io.limiter.testing.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Live limits after a Redis that was cut off, or has come back with what was true before, with real processes. */
class LiveRecoveryTest {

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final RedisProcess redis = resources.redis();
    private final MuteProxy proxy = resources.proxyTo(redis.port());
    private final LettuceConnectionFactory connections = resources.lettuce(Resources.at(proxy.port()));
    private final List<LiveInstance> fleet = new ArrayList<>();

    @Test
    void an_old_snapshot_loses_to_all_that_the_fleet_knows() throws Exception {
        LiveInstance one = restoring();
        LiveInstance other = restoring();
        LiveInstance behind = restoring();
        put(one, "search", TEN.withRate(200));
        put(one, "removed", TEN.withRate(200));
        put(one, "rolled-back", TEN.withRate(200));
        put(one, "rolled-back", TEN.withRate(300));
        put(one, "same", TEN.withRate(200));
        fleet.forEach(LiveInstance::pollLiveLimits);
        Resources.commands(redis.port(), RedisCommands::save);

        put(one, "search", TEN.withRate(100));
        behind.pollLiveLimits();
        put(one, "search", TEN.withRate(50));
        live(one).remove("removed", NOTE, 2);
        live(one).rollBack(4, NOTE, 4);
        put(one, "new", TEN.withRate(7));
        other.pollLiveLimits();
        assertThat(live(other).version()).isEqualTo(10);
        List<LiveLimit> newest = live(one).list();
        List<LiveChange> changes = live(one).history();
        redis.kill();
        redis.startAgain();
        // It knows only what Redis has.
        Eventually.that(() -> assertThat(history(one)).isNotEmpty());
        LiveInstance fresh = restoring();
        assertThat(rate(fresh, "search")).isEqualTo(200);

        pollUntil(() -> {
            for (LiveInstance each : fleet) {
                assertThat(live(each).list()).isEqualTo(newest);
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
        assertThat(live(one).history())
                .extracting(LiveChange::version)
                .doesNotHaveDuplicates()
                .contains(1L, 2L, 3L, 4L, 5L, 7L, 8L, 9L, 10L);
        assertThat(changes)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("before")
                .containsAll(live(one).history());
        assertThat(put(fresh, "search", TEN.withRate(60)).version()).isEqualTo(11);
    }

    @Test
    void an_instance_that_started_after_a_removal_knows_of_it() throws Exception {
        LiveInstance one = restoring();
        put(one, "search", TEN.withRate(200));
        Resources.commands(redis.port(), RedisCommands::save);
        live(one).remove("search", NOTE, 1);
        LiveInstance late = restoring();
        one.close();
        redis.kill();
        redis.startAgain();
        fleet.remove(one);
        pollUntil(() -> assertThat(history(late)).hasSize(2));
        assertThat(live(late).list()).isEmpty();
        assertThat(history(late)).extracting(LiveChange::version).containsExactly(2L, 1L);
    }

    @Test
    void a_replica_that_was_promoted_without_the_last_changes_gets_them() throws Exception {
        LiveInstance one = restoring();
        LiveInstance other = restoring();
        put(one, "search", TEN.withRate(200));
        put(one, "other", TEN.withRate(200));
        put(one, "both", TEN.withRate(200));
        RedisProcess replica =
                resources.redis("--replicaof", "127.0.0.1", "" + redis.port(), "--repl-diskless-sync-delay", "0");
        Eventually.that(() -> assertThat(
                        Resources.<Long>commands(replica.port(), commands -> commands.hlen("{limiter:live}:limits")))
                .isEqualTo(3));
        // From now on it lacks what the master gets.
        Resources.commands(replica.port(), RedisCommands::replicaofNoOne);
        put(one, "search", TEN.withRate(50));
        put(one, "both", TEN.withRate(90));
        put(one, "both", TEN.withRate(80));
        pollUntil(() -> assertThat(live(other).version()).isEqualTo(6));
        redis.kill();
        proxy.redirectTo(replica.port());
        // An application that knows nothing of the fleet changes a limit before the fleet comes back.
        LettuceConnectionFactory direct = resources.lettuce(Resources.at(replica.port()));
        try (LiveInstance stranger = factory(direct, false)) {
            stranger.pollLiveLimits();
            put(stranger, "other", TEN.withRate(70));
            assertThat(put(stranger, "both", TEN.withRate(60)).version())
                    .as("later than what it replaces, with a lower version")
                    .isEqualTo(5);
        }
        pollUntil(() -> {
            for (LiveInstance each : fleet) {
                assertThat(rate(each, "search")).isEqualTo(50);
                assertThat(rate(each, "other")).isEqualTo(70);
                assertThat(rate(each, "both")).isEqualTo(60);
            }
        });
        assertThat(live(one).history())
                .as("each change once; two have one version, because they did not know each other")
                .extracting(change ->
                        change.name() + change.after().orElseThrow().settings().rate())
                .containsExactlyInAnyOrder(
                        "search50.0", "other70.0", "both60.0", "both200.0", "other200.0", "search200.0");
    }

    @Test
    void the_first_decisions_after_a_cut_are_under_the_limit_of_now() throws Exception {
        LettuceConnectionFactory direct = resources.lettuce(Resources.at(redis.port()));
        try (LiveInstance cut = factory(connections, false);
                LiveInstance other = factory(direct, false)) {
            RateLimiter limiter = search(cut);
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
            put(other, "search", TEN.withRate(10));
            assertThat(limiter.getRate()).isEqualTo(100);
            proxy.replies(MuteProxy.Replies.PASSED_ON);
            Eventually.that(() -> assertThat(cut.backendState().up()).isTrue());
            assertThat(limiter.getRate())
                    .as("without a poll of its own within the hour")
                    .isEqualTo(10);
        }
    }

    private LiveInstance restoring() {
        LiveInstance factory = resources.closing(factory(connections, true));
        fleet.add(factory);
        factory.pollLiveLimits();
        return factory;
    }

    private static LiveInstance factory(LettuceConnectionFactory connections, boolean restores) {
        return LiveInstance.of(RedisFixture.builder(connections), BY_HAND.withRestore(restores), false);
    }

    private static Double rate(LiveInstance factory, String name) {
        return live(factory).get(name).orElseThrow().settings().rate();
    }

    /** All poll at the same time, again and again, because a poll or the new connection may take its time on a slow machine. */
    private void pollUntil(Runnable assertions) {
        logged(() -> Eventually.that(() -> {
            CompletableFuture.allOf(fleet.stream()
                            .map(each -> CompletableFuture.runAsync(each::pollLiveLimits))
                            .toArray(CompletableFuture[]::new))
                    .join();
            assertions.run();
        }));
    }

    private static List<LiveChange> history(LiveInstance factory) {
        try {
            return live(factory).history();
        } catch (LimiterBackendException e) {
            return List.of();
        }
    }
}
