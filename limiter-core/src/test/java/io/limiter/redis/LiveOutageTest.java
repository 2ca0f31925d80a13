package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.AclSetuserArgs;
import io.limiter.LimiterBackendException;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveOptions;
import io.limiter.live.LiveSettings;
import io.limiter.testing.Eventually;
import io.limiter.testing.TestCluster;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class LiveOutageTest {

    private static final ChangeNote NOTE = ChangeNote.of("ann", "flood");
    private static final LiveSettings TEN =
            LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(10);

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @Test
    void what_was_missed_while_redis_could_not_be_read_follows() {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory cut = FLEET.instance();
        RateLimiter limiter = cut.build("search", TokenBucket.perSecond(100));
        one.live().orElseThrow().put("search", TEN, NOTE, 0);
        cut.pollLiveLimits();
        FLEET.whileUnreadable(() -> {
            cut.pollLiveLimits();
            cut.pollLiveLimits();
            assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
        });
        one.live().orElseThrow().put("search", TEN.rate(20), NOTE, 1);
        one.live().orElseThrow().put("other", TEN, NOTE, 0);
        one.live().orElseThrow().remove("other", NOTE, 3);
        cut.pollLiveLimits();
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(20);
        assertThat(cut.live().orElseThrow().version()).isEqualTo(4);
        assertThat(cut.live().orElseThrow().list())
                .isEqualTo(one.live().orElseThrow().list());
    }

    @Test
    void an_emptied_redis_ends_them() {
        RedisRateLimiterFactory one = FLEET.instance();
        RateLimiter limiter = one.build("search", TokenBucket.perSecond(100));
        one.live().orElseThrow().put("search", TEN, NOTE, 0);
        FLEET.loseEverything();
        assertThat(LiveFleet.logged(() -> {
                    one.pollLiveLimits();
                    one.pollLiveLimits();
                }))
                .singleElement()
                .asString()
                .startsWith("Redis has lost live limits: it has version 0 of them, and this instance had 1.");
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(100);
        assertThat(one.live().orElseThrow().list()).isEmpty();
        assertThat(one.live().orElseThrow().version()).isZero();
        // Versions go on, so that no instance takes a new one for one that it has.
        assertThat(one.live().orElseThrow().put("search", TEN, NOTE, 0).version())
                .isEqualTo(2);
    }

    @Test
    void a_new_change_after_that_is_not_taken_for_an_old_one() {
        RedisRateLimiterFactory one = FLEET.instance();
        one.live().orElseThrow().put("search", TEN, NOTE, 0);
        FLEET.loseEverything();
        RedisRateLimiterFactory fresh = FLEET.instance();
        assertThat(fresh.live()
                        .orElseThrow()
                        .put("search", TEN.rate(20), NOTE, 0)
                        .version())
                .isEqualTo(1);
        one.pollLiveLimits();
        assertThat(one.live().orElseThrow().list())
                .isEqualTo(fresh.live().orElseThrow().list());
    }

    @Test
    void an_emptied_redis_gets_the_newest_copy_back_if_so_configured() {
        RedisRateLimiterFactory behind = restoring();
        RedisRateLimiterFactory newest = restoring();
        RateLimiter limiter = behind.build("search", TokenBucket.perSecond(100));
        newest.live().orElseThrow().put("ends", TEN, NOTE.expiresIn(Duration.ofMinutes(1)), 0);
        newest.live().orElseThrow().put("search", TEN.rate(20), NOTE, 0);
        behind.pollLiveLimits();
        newest.live().orElseThrow().put("search", TEN, NOTE, 2);
        List<LiveLimit> before = newest.live().orElseThrow().list();

        FLEET.loseEverything();
        assertThat(LiveFleet.logged(() -> {
                    behind.pollLiveLimits();
                    newest.pollLiveLimits();
                    behind.pollLiveLimits();
                    newest.pollLiveLimits();
                }))
                .containsExactly(
                        "Redis had lost changes of live limits; this instance has written 2 of them back, of [ends, search].",
                        "Redis had lost changes of live limits; this instance has written 1 of them back, of [search].");
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
        assertThat(behind.live().orElseThrow().list()).isEqualTo(before);
        assertThat(newest.live().orElseThrow().list()).isEqualTo(before);
        assertThat(FLEET.instance().live().orElseThrow().list()).isEqualTo(before);
        FLEET.clock().advance(Duration.ofMinutes(1));
        assertThat(FLEET.instance().live().orElseThrow().list()).hasSize(1);
        assertThat(newest.live()
                        .orElseThrow()
                        .put("search", TEN.rate(1), NOTE, 3)
                        .version())
                .isEqualTo(4);
    }

    @Test
    void what_was_changed_after_the_loss_is_not_overwritten() {
        RedisRateLimiterFactory old = restoring();
        RateLimiter limiter = old.build("search", TokenBucket.perSecond(100));
        old.live().orElseThrow().put("search", TEN, NOTE, 0);
        old.live().orElseThrow().put("search", TEN.rate(11), NOTE, 1);
        old.live().orElseThrow().put("other", TEN, NOTE, 0);
        FLEET.loseEverything();
        FLEET.clock().advance(Duration.ofSeconds(1));
        RedisRateLimiterFactory fresh = restoring();
        fresh.live().orElseThrow().put("search", TEN.rate(30), NOTE, 0);
        assertThat(LiveFleet.logged(old::pollLiveLimits))
                .containsExactly(
                        "Redis had lost changes of live limits; this instance has written 1 of them back, of [other].");
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(30);
        assertThat(old.live().orElseThrow().version()).isEqualTo(3);
        fresh.pollLiveLimits();
        assertThat(fresh.live().orElseThrow().list())
                .isEqualTo(old.live().orElseThrow().list());
    }

    @Test
    void a_change_right_after_the_loss_does_not_end_the_others() {
        RedisRateLimiterFactory one = restoring();
        RateLimiter limiter = one.build("search", TokenBucket.perSecond(100));
        one.live().orElseThrow().put("search", TEN, NOTE, 0);
        FLEET.loseEverything();
        LiveFleet.logged(() -> one.live().orElseThrow().put("other", TEN, NOTE, 0));
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
        assertThat(FLEET.instance().live().orElseThrow().list()).hasSize(2);
    }

    @Test
    void an_instance_that_missed_what_was_written_back_gets_it_with_the_next_change() {
        RedisRateLimiterFactory old = restoring();
        old.live().orElseThrow().put("search", TEN, NOTE, 0);
        old.live().orElseThrow().put("other", TEN, NOTE, 0);
        FLEET.loseEverything();
        RedisRateLimiterFactory fresh = FLEET.instance();
        for (int version = 0; version < 3; version++) {
            fresh.live().orElseThrow().put("new", TEN.rate(version + 1), NOTE, version);
        }
        LiveFleet.logged(old::pollLiveLimits);
        assertThat(old.live().orElseThrow().put("last", TEN, NOTE, 0).version()).isEqualTo(4);
        fresh.pollLiveLimits();
        assertThat(fresh.live().orElseThrow().list())
                .hasSize(4)
                .isEqualTo(old.live().orElseThrow().list());
    }

    @Test
    void what_is_written_back_is_in_the_history_once() {
        RedisRateLimiterFactory one = restoring();
        one.live().orElseThrow().put("search", TEN, NOTE, 0);
        one.live().orElseThrow().put("search", TEN.rate(20), NOTE, 1);
        List<LiveLimit> limits = one.live().orElseThrow().list();
        List<LiveChange> changes = one.live().orElseThrow().history();
        FLEET.<Long>commands(commands -> commands.del("{limiter:live}:limits"));
        LiveFleet.logged(one::pollLiveLimits);
        assertThat(one.live().orElseThrow().list()).isEqualTo(limits);
        assertThat(one.live().orElseThrow().history()).isEqualTo(changes);
    }

    @Test
    void live_limits_that_redis_has_evicted_end_everywhere() {
        RedisRateLimiterFactory one = FLEET.instance();
        RateLimiter limiter = one.build("search", TokenBucket.perSecond(100));
        one.live().orElseThrow().put("search", TEN, NOTE, 0);
        FLEET.<Long>commands(commands -> commands.del("{limiter:live}:limits"));
        assertThat(LiveFleet.logged(() -> {
                    one.pollLiveLimits();
                    one.pollLiveLimits();
                }))
                .singleElement()
                .asString()
                .startsWith("Redis has lost live limits");
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(100);
        assertThat(one.live().orElseThrow().list()).isEmpty();
    }

    @Test
    void a_failed_change_says_that_it_is_one() {
        RedisRateLimiterFactory one = FLEET.instance();
        FLEET.<Long>commands(commands -> commands.lpush("{limiter:live}:version", "not a string"));
        LiveFleet.logged(() -> {
            assertThatThrownBy(() -> one.live().orElseThrow().put("search", TEN, NOTE, 0))
                    .isInstanceOf(LimiterBackendException.class)
                    .hasMessageStartingWith("live limits: Redis failed: ")
                    .hasMessageNotContaining("permits");
            FLEET.<Long>commands(commands -> commands.del("{limiter:live}:version"));
        });
    }

    @Test
    void a_listener_cannot_end_the_polls() {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory polling = FLEET.instance(
                settings -> settings.liveLimits(LiveOptions.DEFAULT.pollInterval(Duration.ofMillis(100))));
        RateLimiter limiter = polling.build("search", TokenBucket.perSecond(100));
        polling.live().orElseThrow().subscribe(change -> {
            Thread.currentThread().interrupt();
            throw new AssertionError("a listener's own mistake");
        });
        LiveFleet.logged(() -> {
            one.live().orElseThrow().put("search", TEN, NOTE, 0);
            Eventually.that(() -> assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10));
            one.live().orElseThrow().put("search", TEN.rate(20), NOTE, 1);
            Eventually.that(() -> assertThat(limiter.limit().permitsPerSecond()).isEqualTo(20));
            one.live().orElseThrow().put("search", TEN.rate(30), NOTE, 2);
            Eventually.that(() -> assertThat(limiter.limit().permitsPerSecond()).isEqualTo(30));
        });
    }

    private static RedisRateLimiterFactory restoring() {
        return FLEET.instance(settings -> settings.liveLimits(LiveFleet.BY_HAND.restore(true)));
    }

    @Test
    void a_closed_factory_changes_nothing_and_leaves_no_thread() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        RedisRateLimiterFactory factory = FLEET.instance(settings -> settings.liveHints(true));
        factory.pollLiveLimits();
        assertThat(liveThreads(before)).isNotEmpty();
        factory.close();
        Eventually.that(() -> assertThat(liveThreads(before)).isEmpty());
        assertThatThrownBy(() -> factory.live().orElseThrow().put("search", TEN, NOTE, 0))
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
    void hints_reach_an_instance_that_polls_once_an_hour(boolean byLettuce) throws Exception {
        RedisConnectionFactory connections = byLettuce ? lettuce(null) : jedis();
        try (RedisRateLimiterFactory hinted =
                RedisFixture.builder(connections).liveLimits(LiveFleet.BY_HAND).build()) {
            RateLimiter limiter = hinted.build("search", TokenBucket.perSecond(100));
            Eventually.that(() -> assertThat(FLEET.<Long>commands(
                            commands -> commands.pubsubNumsub("{limiter:live}").get("{limiter:live}")))
                    .isEqualTo(1));
            FLEET.instance().live().orElseThrow().put("search", TEN, NOTE, 0);
            Eventually.that(() -> assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10));
        }
        Eventually.that(() -> assertThat(FLEET.<Long>commands(
                        commands -> commands.pubsubNumsub("{limiter:live}").get("{limiter:live}")))
                .isZero());
        ((DisposableBean) connections).destroy();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void works_in_a_cluster(boolean byLettuce) throws Exception {
        try (TestCluster cluster = TestCluster.start(3)) {
            RedisClusterConfiguration where = new RedisClusterConfiguration(cluster.nodes());
            RedisConnectionFactory connections = byLettuce ? lettuceOf(where) : jedisOf(where);
            try (RedisRateLimiterFactory one = RedisFixture.builder(connections)
                            .liveLimits(LiveFleet.BY_HAND)
                            .build();
                    RedisRateLimiterFactory other = RedisFixture.builder(connections)
                            .liveLimits(LiveFleet.BY_HAND)
                            .liveHints(false)
                            .build()) {
                RateLimiter limiter = other.build("search", TokenBucket.perSecond(100));
                one.live().orElseThrow().put("search", TEN, NOTE, 0);
                other.pollLiveLimits();
                assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
                one.live().orElseThrow().fleet().watch();
                other.pollLiveLimits();
                assertThat(one.live().orElseThrow().fleet().watch().instances()).isNotEmpty();
                assertThat(other.live().orElseThrow().rollBack(1, NOTE, 1).after())
                        .isEmpty();
            } finally {
                ((DisposableBean) connections).destroy();
            }
        }
    }

    private static LettuceConnectionFactory lettuceOf(RedisClusterConfiguration where) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory(where);
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    private static JedisConnectionFactory jedisOf(RedisClusterConfiguration where) {
        JedisConnectionFactory connections = new JedisConnectionFactory(where);
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    @Test
    void without_a_right_to_the_channel_it_polls() throws Exception {
        FLEET.commands(commands -> commands.aclSetuser(
                "live",
                AclSetuserArgs.Builder.on()
                        .addPassword("password")
                        .allKeys()
                        .resetChannels()
                        .allCommands()));
        LettuceConnectionFactory connections = lettuce("live");
        List<String> lines = LiveFleet.logged(() -> {
            try (RedisRateLimiterFactory forbidden = RedisFixture.builder(connections)
                    .liveLimits(LiveOptions.DEFAULT.pollInterval(Duration.ofMillis(100)))
                    .build()) {
                RateLimiter limiter = forbidden.build("search", TokenBucket.perSecond(100));
                forbidden.live().orElseThrow().put("mine", TEN, NOTE, 0);
                FLEET.instance().live().orElseThrow().put("search", TEN, NOTE, 0);
                Eventually.that(
                        () -> assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10));
                // After a poll it has at least begun to subscribe.
                forbidden.pollLiveLimits();
                Eventually.that(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .doesNotContain("limiter-live-hints"));
            }
        });
        connections.destroy();
        assertThat(lines).singleElement().asString().startsWith("Cannot subscribe to the channel {limiter:live}");
    }

    private static LettuceConnectionFactory lettuce(String user) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory(where(user));
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    private static JedisConnectionFactory jedis() {
        JedisConnectionFactory connections = new JedisConnectionFactory(where(null));
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    private static RedisStandaloneConfiguration where(String user) {
        RedisStandaloneConfiguration where =
                new RedisStandaloneConfiguration("127.0.0.1", FLEET.redis().port());
        if (user != null) {
            where.setUsername(user);
            where.setPassword(RedisPassword.of("password"));
        }
        return where;
    }

    @Test
    void a_factory_without_live_options_has_none() {
        try (RedisRateLimiterFactory without =
                RedisFixture.builder(RedisFixture.connections()).build()) {
            assertThat(without.live()).isEmpty();
        }
    }
}
