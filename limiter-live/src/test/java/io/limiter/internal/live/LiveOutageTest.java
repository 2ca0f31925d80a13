package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.BY_HAND;
import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.logged;
import static io.limiter.internal.live.LiveFleet.put;
import static io.limiter.internal.live.LiveFleet.reports;
import static io.limiter.internal.live.LiveFleet.search;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterBackendException;
import io.limiter.RateLimiter;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveOptions;
import io.limiter.redis.RedisFixture;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.redis.Resources;
import io.limiter.testing.Eventually;
import io.limiter.testing.Patience;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.TestCluster;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Live limits that Redis has lost, or cannot be read for a while. */
class LiveOutageTest {

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    @Test
    void what_was_missed_while_redis_could_not_be_read_follows() {
        LiveInstance one = FLEET.instance();
        LiveInstance cut = FLEET.instance();
        RateLimiter limiter = search(cut);
        put(one, "search", TEN);
        cut.pollLiveLimits();
        FLEET.whileUnreadable(() -> {
            cut.pollLiveLimits();
            cut.pollLiveLimits();
            assertThat(limiter.getRate()).isEqualTo(10);
        });
        put(one, "search", TEN.withRate(20));
        put(one, "other", TEN);
        live(one).remove("other", NOTE, 3);
        cut.pollLiveLimits();
        assertThat(limiter.getRate()).isEqualTo(20);
        assertThat(live(cut).version()).isEqualTo(4);
        assertThat(live(cut).list()).isEqualTo(live(one).list());
    }

    @Test
    void their_time_ends_them_and_not_the_poll_that_waits_for_a_redis_that_hangs() {
        RedisProcess redis = resources.redis();
        RedisRateLimiterFactory.Builder builder = RedisRateLimiterFactory.builder(
                        resources.lettuce(Resources.at(redis.port())))
                .decisionTimeout(Patience.DECISION_TIMEOUT);
        LiveInstance one = resources.closing(
                LiveInstance.of(builder, LiveOptions.DEFAULT.withPollInterval(Duration.ofMillis(100)), false));
        RateLimiter limiter = search(one);
        live(one).put("search", TEN, NOTE.withExpiry(Duration.ofSeconds(3)), 0);
        assertThat(limiter.getRate()).isEqualTo(10);
        redis.stop();
        // The poll waits for as long as a decision may take.
        Awaitility.await().atMost(Patience.DECISION_TIMEOUT.dividedBy(2)).until(() -> limiter.getRate() == 100);
        assertThat(live(one).list()).isEmpty();
        redis.goOn();
    }

    @Test
    void an_emptied_redis_ends_them() {
        LiveInstance one = FLEET.instance();
        RateLimiter limiter = search(one);
        put(one, "search", TEN);
        FLEET.loseEverything();
        assertThat(logged(() -> {
                    one.pollLiveLimits();
                    one.pollLiveLimits();
                }))
                .singleElement()
                .asString()
                .startsWith("Redis has lost live limits: it has version 0 of them, and this instance had 1.");
        assertThat(limiter.getRate()).isEqualTo(100);
        assertThat(live(one).list()).isEmpty();
        assertThat(live(one).version()).isZero();
        // Versions go on, so that no instance takes a new one for one that it has.
        assertThat(put(one, "search", TEN).version()).isEqualTo(2);
    }

    @Test
    void a_new_change_after_that_is_not_taken_for_an_old_one() {
        LiveInstance one = FLEET.instance();
        put(one, "search", TEN);
        FLEET.loseEverything();
        LiveInstance fresh = FLEET.instance();
        assertThat(put(fresh, "search", TEN.withRate(20)).version()).isEqualTo(1);
        one.pollLiveLimits();
        assertThat(live(one).list()).isEqualTo(live(fresh).list());
    }

    @Test
    void an_emptied_redis_gets_the_newest_copy_back_if_so_configured() {
        LiveInstance behind = restoring();
        LiveInstance newest = restoring();
        RateLimiter limiter = search(behind);
        live(newest).put("ends", TEN, NOTE.withExpiry(Duration.ofMinutes(1)), 0);
        put(newest, "search", TEN.withRate(20));
        behind.pollLiveLimits();
        put(newest, "search", TEN);
        List<LiveLimit> before = live(newest).list();

        FLEET.loseEverything();
        assertThat(logged(() -> {
                    behind.pollLiveLimits();
                    newest.pollLiveLimits();
                    behind.pollLiveLimits();
                    newest.pollLiveLimits();
                }))
                .containsExactly(
                        "Redis had lost changes of live limits. This instance has written back 2 of them, of [ends, search].",
                        "Redis had lost changes of live limits. This instance has written back 1 of them, of [search].");
        assertThat(limiter.getRate()).isEqualTo(10);
        assertThat(live(behind).list()).isEqualTo(before);
        assertThat(live(newest).list()).isEqualTo(before);
        assertThat(live(FLEET.instance()).list()).isEqualTo(before);
        FLEET.clock().advance(Duration.ofMinutes(1));
        assertThat(live(FLEET.instance()).list()).hasSize(1);
        assertThat(put(newest, "search", TEN.withRate(1)).version()).isEqualTo(4);
    }

    @Test
    void what_was_changed_after_the_loss_is_not_overwritten() {
        LiveInstance old = restoring();
        RateLimiter limiter = search(old);
        put(old, "search", TEN);
        put(old, "search", TEN.withRate(11));
        put(old, "other", TEN);
        FLEET.loseEverything();
        FLEET.clock().advance(Duration.ofSeconds(1));
        LiveInstance fresh = restoring();
        put(fresh, "search", TEN.withRate(30));
        assertThat(logged(old::pollLiveLimits))
                .containsExactly(
                        "Redis had lost changes of live limits. This instance has written back 1 of them, of [other].");
        assertThat(limiter.getRate()).isEqualTo(30);
        assertThat(live(old).version()).isEqualTo(3);
        fresh.pollLiveLimits();
        assertThat(live(fresh).list()).isEqualTo(live(old).list());
    }

    @Test
    void a_change_right_after_the_loss_does_not_end_the_others() {
        LiveInstance one = restoring();
        RateLimiter limiter = search(one);
        put(one, "search", TEN);
        FLEET.loseEverything();
        logged(() -> put(one, "other", TEN));
        assertThat(limiter.getRate()).isEqualTo(10);
        assertThat(live(FLEET.instance()).list()).hasSize(2);
    }

    @Test
    void an_instance_that_missed_what_was_written_back_gets_it_with_the_next_change() {
        LiveInstance old = restoring();
        put(old, "search", TEN);
        put(old, "other", TEN);
        FLEET.loseEverything();
        LiveInstance fresh = FLEET.instance();
        for (int version = 0; version < 3; version++) {
            put(fresh, "new", TEN.withRate(version + 1));
        }
        logged(old::pollLiveLimits);
        assertThat(put(old, "last", TEN).version()).isEqualTo(4);
        fresh.pollLiveLimits();
        assertThat(live(fresh).list()).hasSize(4).isEqualTo(live(old).list());
    }

    @Test
    void what_is_written_back_is_in_the_history_once() {
        LiveInstance one = restoring();
        put(one, "search", TEN);
        put(one, "search", TEN.withRate(20));
        List<LiveLimit> limits = live(one).list();
        List<LiveChange> changes = live(one).history();
        FLEET.<Long>commands(commands -> commands.del("{limiter:live}:limits"));
        logged(one::pollLiveLimits);
        assertThat(live(one).list()).isEqualTo(limits);
        assertThat(live(one).history()).isEqualTo(changes);
    }

    @Test
    void live_limits_that_redis_has_evicted_end_everywhere() {
        LiveInstance one = FLEET.instance();
        RateLimiter limiter = search(one);
        put(one, "search", TEN);
        FLEET.<Long>commands(commands -> commands.del("{limiter:live}:limits"));
        assertThat(logged(() -> {
                    one.pollLiveLimits();
                    one.pollLiveLimits();
                }))
                .singleElement()
                .asString()
                .startsWith("Redis has lost live limits");
        assertThat(limiter.getRate()).isEqualTo(100);
        assertThat(live(one).list()).isEmpty();
    }

    @Test
    void a_failed_change_says_that_it_is_one() {
        LiveInstance one = FLEET.instance();
        FLEET.<Long>commands(commands -> commands.lpush("{limiter:live}:version", "not a string"));
        logged(() -> {
            assertThatThrownBy(() -> put(one, "search", TEN))
                    .isInstanceOf(LimiterBackendException.class)
                    .hasMessageStartingWith("live limits: Redis failed: ")
                    .hasMessageNotContaining("permits");
            FLEET.<Long>commands(commands -> commands.del("{limiter:live}:version"));
        });
    }

    @Test
    void an_instance_that_restores_misses_no_change_because_of_another_that_cannot_be_read() {
        LiveInstance one = FLEET.instance();
        LiveInstance restoring = restoring();
        put(one, "search", TEN);
        restoring.pollLiveLimits();
        FLEET.<Long>commands(commands -> commands.zadd("{limiter:live}:history", 2, "[]"));
        put(one, "search", TEN.withRate(20));
        assertThat(logged(restoring::pollLiveLimits))
                .singleElement()
                .asString()
                .startsWith("The history of live limits has a change that cannot be read: ");
        assertThat(live(restoring).get("search").orElseThrow().settings()).isEqualTo(TEN.withRate(20));
    }

    @Test
    void an_instance_that_is_only_behind_does_not_bring_a_replaced_limit_back() {
        LiveInstance one = restoring();
        LiveInstance behind = restoring();
        put(one, "search", TEN);
        behind.pollLiveLimits();
        live(one).put("search", TEN.withRate(50), NOTE.withExpiry(Duration.ofMinutes(1)), 1);
        FLEET.clock().advance(Duration.ofMinutes(2));
        one.pollLiveLimits();
        one.pollLiveLimits();
        // More changes than a poll reads one by one.
        for (int i = 0; i < 50; i++) {
            put(one, "limit" + i, TEN);
        }
        assertThat(logged(behind::pollLiveLimits)).isEmpty();
        for (LiveInstance each : List.of(one, behind, FLEET.instance())) {
            assertThat(live(each).list())
                    .extracting(LiveLimit::name)
                    .hasSize(50)
                    .doesNotContain("search");
        }
    }

    private static LiveInstance restoring() {
        return FLEET.instance(BY_HAND.withRestore(true));
    }

    @Test
    void a_closed_factory_changes_nothing_and_leaves_no_thread() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        LiveInstance factory = FLEET.hintedInstance();
        factory.pollLiveLimits();
        assertThat(liveThreads(before)).isNotEmpty();
        factory.close();
        Eventually.that(() -> assertThat(liveThreads(before)).isEmpty());
        assertThatThrownBy(() -> put(factory, "search", TEN))
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("the limiters were closed");
    }

    private static Set<String> liveThreads(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread) && thread.isAlive())
                .map(Thread::getName)
                .filter(name -> name.startsWith("limiter-live"))
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void works_in_a_cluster(boolean byLettuce) {
        TestCluster cluster = resources.cluster(3);
        RedisConnectionFactory connections =
                resources.connect(byLettuce, new RedisClusterConfiguration(cluster.nodes()));
        LiveInstance one = resources.closing(LiveInstance.of(RedisFixture.builder(connections), BY_HAND, true));
        LiveInstance other = resources.closing(LiveInstance.of(RedisFixture.builder(connections), BY_HAND, false));
        RateLimiter limiter = search(other);
        put(one, "search", TEN);
        other.pollLiveLimits();
        assertThat(limiter.getRate()).isEqualTo(10);
        reports(one);
        other.pollLiveLimits();
        assertThat(reports(one)).isNotEmpty();
        assertThat(live(other).rollBack(1, NOTE, 1).after()).isEmpty();
    }
}
