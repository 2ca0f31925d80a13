package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.BY_HAND;
import static io.limiter.internal.live.LiveFleet.logged;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.live.store.LiveStore;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.SpringCalls;
import io.limiter.internal.resilience.Instances;
import io.limiter.redis.RedisFixture;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.redis.Resources;
import io.limiter.testing.Patience;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.TestRedis;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** How many instances each knows of, and what they grant together without Redis. */
class InstanceCountTest {

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    @Test
    void an_instance_counts_all_that_are_alive() {
        Instance one = new Instance();
        Instance other = new Instance();
        assertThat(one.count()).isOne();
        assertThat(other.count()).isEqualTo(2);
        assertThat(one.count()).as("not yet counted again").isOne();
        pass(KnownInstances.EVERY);
        assertThat(one.count()).isEqualTo(2);
        other.count.leave(true);
        passAndCount(one);
        assertThat(passAndCount(one)).isOne();
    }

    @Test
    void a_killed_instance_counts_until_it_has_missed_three_counts() {
        Instance one = new Instance();
        new Instance().count();
        assertThat(one.count()).isEqualTo(2);
        assertThat(passAndCount(one)).isEqualTo(2);
        assertThat(passAndCount(one)).isEqualTo(2);
        assertThat(passAndCount(one)).isEqualTo(2);
        assertThat(passAndCount(one)).as("the larger of the last two counts").isEqualTo(2);
        assertThat(passAndCount(one)).isOne();
    }

    @Test
    void after_a_step_of_the_clock_no_instance_counts_itself_alone() {
        List<Instance> fleet = Stream.generate(Instance::new).limit(3).toList();
        fleet.forEach(Instance::count);
        pass(KnownInstances.EVERY);
        fleet.forEach(Instance::count);
        pass(Duration.ofHours(1));
        assertThat(fleet).allSatisfy(each -> assertThat(each.count()).isEqualTo(3));
        pass(KnownInstances.EVERY);
        assertThat(fleet).allSatisfy(each -> assertThat(each.count()).isEqualTo(3));
    }

    @Test
    void an_instance_that_was_killed_before_the_clock_was_set_back_counts_as_if_it_had_just_counted() {
        Instance one = new Instance();
        new Instance().count();
        assertThat(one.count()).isEqualTo(2);
        pass(Duration.ofHours(-1));
        assertThat(one.count()).isEqualTo(2);
        for (int missed = 1; missed <= 4; missed++) {
            assertThat(passAndCount(one)).as("%s counts missed", missed).isEqualTo(2);
        }
        assertThat(passAndCount(one)).isOne();
    }

    @Test
    void after_the_clock_was_set_back_an_instance_that_polls_rarely_counts_on() {
        Instance one = new Instance();
        new Instance(Duration.ofHours(1)).count();
        assertThat(one.count()).isEqualTo(2);
        pass(Duration.ofHours(-1));
        for (int i = 0; i < 10; i++) {
            assertThat(passAndCount(one)).isEqualTo(2);
        }
        pass(KnownInstances.counts(Duration.ofHours(1)));
        one.count();
        passAndCount(one);
        assertThat(passAndCount(one)).as("and no longer than its time").isOne();
    }

    @Test
    void after_the_clock_was_set_back_an_instance_of_an_older_version_counts_on() {
        Instance one = new Instance();
        one.count();
        FLEET.<Long>commands(commands -> commands.zadd(
                "{limiter:live}:instances",
                FLEET.clock().micros() + 18e6,
                UUID.randomUUID().toString()));
        pass(Duration.ofHours(-1));
        for (int i = 0; i < 10; i++) {
            assertThat(passAndCount(one)).isEqualTo(2);
        }
    }

    @Test
    void a_redis_that_comes_back_for_moments_only_leaves_the_count_as_it_was() {
        List<Instance> fleet = Stream.generate(Instance::new).limit(3).toList();
        fleet.forEach(Instance::count);
        passAndCount(fleet.get(0));
        for (int i = 0; i < 3; i++) {
            pass(Duration.ofSeconds(20));
            assertThat(fleet.get(0).count()).isEqualTo(3);
        }
        assertThat(passAndCount(fleet.get(0))).isEqualTo(3);
        assertThat(passAndCount(fleet.get(0))).as("the others do not come back").isOne();
    }

    @Test
    void a_redis_that_has_lost_its_data_is_believed_once_all_have_had_time_to_count_again() {
        List<Instance> fleet = Stream.generate(Instance::new).limit(3).toList();
        fleet.forEach(Instance::count);
        passAndCount(fleet.get(0));
        FLEET.<Long>commands(commands -> commands.del("{limiter:live}:instances"));
        assertThat(passAndCount(fleet.get(0))).isEqualTo(3);
        assertThat(passAndCount(fleet.get(0))).isEqualTo(3);
        assertThat(passAndCount(fleet.get(0))).as("the others do not come back").isOne();
    }

    @Test
    void a_factory_says_how_many_instances_were_counted() {
        assertThat(FLEET.instance().instances()).isOne();
        assertThat(FLEET.instance().instances()).isEqualTo(2);
    }

    @Test
    void instances_that_start_together_know_of_each_other_after_the_next_poll() {
        List<LiveInstance> fleet = Stream.generate(FLEET::instance).limit(3).toList();
        fleet.forEach(LiveInstance::pollLiveLimits);
        assertThat(fleet).extracting(LiveInstance::instances).containsExactly(3, 3, 3);
        fleet.get(2).pauseLiveLimits();
        fleet.get(0).pollLiveLimits();
        assertThat(fleet.get(0).instances())
                .as("fewer are not believed before the next count")
                .isEqualTo(3);
    }

    @Test
    void a_warm_up_has_counted_before_it_ends() {
        FLEET.instance();
        LiveInstance other = FLEET.instance();
        FLEET.instance();
        assertThat(other.instances()).isEqualTo(2);
        assertThat(other.warmUp().join()).isTrue();
        assertThat(other.instances()).isEqualTo(3);
    }

    @Test
    void an_instance_that_starts_without_redis_decides_under_its_part_of_the_expected_instances() {
        LiveInstance alone = FLEET.add(
                RedisRateLimiterFactory.builder(resources.lettuce(Resources.at(TestRedis.closedPort())))
                        .expectedInstances(4),
                BY_HAND,
                false);
        assertThat(alone.instances()).isEqualTo(4);
        Limiter limiter = alone.build("k", FixedWindow.of(12, Duration.ofDays(1)));
        assertThat(Stream.generate(() -> limiter.decide(1)).limit(20))
                .filteredOn(Decision::isGranted)
                .hasSize(3);
    }

    @Test
    void without_redis_the_owner_of_a_key_grants_the_limit_once_for_the_fleet() {
        RedisProcess redis = resources.redis();
        List<LiveInstance> fleet = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            fleet.add(FLEET.add(
                    RedisRateLimiterFactory.builder(resources.lettuce(Resources.at(redis.port())))
                            .failurePolicy(FailurePolicy.OWNER),
                    BY_HAND,
                    false));
        }
        List<Limiter> limiters = fleet.stream()
                .map(each -> each.build("sms", FixedWindow.of(1, Duration.ofDays(1))))
                .toList();
        fleet.forEach(LiveInstance::pollLiveLimits);
        redis.kill();
        LiveInstance late = FLEET.add(
                RedisRateLimiterFactory.builder(resources.lettuce(Resources.at(redis.port())))
                        .failurePolicy(FailurePolicy.OWNER),
                BY_HAND,
                false);
        for (int i = 0; i < 30; i++) {
            String phone = "0171-" + i;
            assertThat(limiters)
                    .as("one code for each phone")
                    .filteredOn(each -> each.on(phone).tryAcquire())
                    .hasSize(1);
            assertThat(late.build("sms", FixedWindow.of(1, Duration.ofDays(1)))
                            .on(phone)
                            .tryAcquire())
                    .as("one that has never reached Redis")
                    .isFalse();
        }
    }

    @Test
    void instances_that_have_one_name_in_reports_count_each() {
        LiveInstance one = FLEET.instance(BY_HAND.withInstance("shop"));
        LiveInstance other = FLEET.instance(BY_HAND.withInstance("shop"));
        one.pollLiveLimits();
        other.pollLiveLimits();
        assertThat(FLEET.<Long>commands(commands -> commands.zcard("{limiter:live}:instances")))
                .isEqualTo(2);
    }

    @Test
    void a_process_that_goes_on_after_a_pause_is_another_instance_because_there_may_be_copies_of_it() {
        Instance one = new Instance();
        one.count();
        List<String> before = members();
        one.count.leave(true);
        one.count.join();
        one.count();
        assertThat(members()).hasSize(1).doesNotContainAnyElementsOf(before);
    }

    @Test
    void copies_of_a_process_that_was_paused_while_redis_was_unavailable_count_each() {
        Instance one = new Instance();
        one.count();
        List<String> before = members();
        one.count.leave(false);
        one.count.join();
        one.count();
        assertThat(members()).hasSize(2).containsAll(before);
    }

    @Test
    void with_long_poll_intervals_too_an_instance_counts_until_it_has_missed_three_counts() {
        Duration apart = KnownInstances.EVERY.multipliedBy(2);
        Instance one = new Instance(KnownInstances.EVERY);
        new Instance(KnownInstances.EVERY).count();
        for (int i = 0; i <= 3; i++) {
            assertThat(one.count()).as("%s counts missed", i).isEqualTo(2);
            pass(apart);
        }
        one.count();
        pass(apart);
        assertThat(one.count()).isOne();
    }

    @Test
    void an_instance_that_left_is_forgotten_also_where_counts_are_far_apart() {
        Instance one = new Instance(KnownInstances.EVERY);
        Instance other = new Instance(KnownInstances.EVERY);
        other.count();
        assertThat(one.count()).isEqualTo(2);
        other.count.leave(true);
        Duration apart = KnownInstances.EVERY.multipliedBy(2).plusMillis(100);
        pass(apart);
        one.count();
        pass(apart);
        assertThat(one.count()).isOne();
    }

    @Test
    void a_poll_that_begins_before_a_pause_and_counts_after_it_counts_no_instance() {
        Instance one = new Instance();
        one.count();
        one.count.leave(true);
        pass(KnownInstances.EVERY);
        one.count();
        assertThat(members()).isEmpty();
    }

    @Test
    void an_instance_that_leaves_before_its_count_has_reached_redis_does_not_count() {
        AtomicReference<Runnable> first = new AtomicReference<>(() -> {});
        RedisConnectionFactory connections = (RedisConnectionFactory) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RedisConnectionFactory.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        first.getAndSet(() -> {}).run();
                    }
                    return method.invoke(FLEET.connections(), arguments);
                });
        Instance one = new Instance(Duration.ofSeconds(1), new SpringCalls(connections));
        first.set(() -> one.count.leave(true));
        one.count();
        assertThat(members()).isEmpty();
    }

    @Test
    void a_poll_of_a_paused_poller_counts_no_instance() {
        LiveInstance one = FLEET.instance();
        assertThat(members()).hasSize(1);
        one.pauseLiveLimits();
        one.pollLiveLimits();
        assertThat(members()).isEmpty();
    }

    @Test
    void a_count_that_redis_refuses_is_logged_and_the_last_one_stays() {
        Instance one = new Instance();
        Instance other = new Instance();
        other.count();
        assertThat(one.count()).isEqualTo(2);
        FLEET.<Long>commands(commands -> commands.del("{limiter:live}:instances"));
        FLEET.<String>commands(commands -> commands.set("{limiter:live}:instances", "none"));
        assertThat(logged(() -> {
                    assertThat(passAndCount(one)).isEqualTo(2);
                    assertThat(passAndCount(one)).isEqualTo(2);
                }))
                .singleElement()
                .asString()
                .contains("cannot be counted");
    }

    @Test
    void without_redis_the_instances_of_a_fleet_grant_the_limit_once() {
        RedisProcess redis = resources.redis();
        List<Limiter> limiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            LiveInstance instance = FLEET.add(
                    RedisRateLimiterFactory.builder(resources.lettuce(Resources.at(redis.port())))
                            .failurePolicy(FailurePolicy.LOCAL),
                    BY_HAND,
                    false);
            limiters.add(instance.build("k", FixedWindow.of(12, Duration.ofDays(1))));
        }
        // They are started within moments, so the first two count again only after some seconds.
        redis.kill();
        List<Decision> decisions = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            decisions.add(limiters.get(2).decide(1));
        }
        assertThat(decisions).filteredOn(Decision::isGranted).hasSize(4);
        assertThat(decisions).allMatch(decision -> decision.source() == Decision.Source.LOCAL);
    }

    private static List<String> members() {
        return FLEET.commands(commands -> commands.zrange("{limiter:live}:instances", 0, -1));
    }

    private static void pass(Duration time) {
        FLEET.clock().advance(time);
    }

    private static int passAndCount(Instance instance) {
        pass(KnownInstances.EVERY);
        return instance.count();
    }

    private static final class Instance {

        private final InstanceCount count;
        private final Instances instances = new Instances();

        Instance() {
            this(Duration.ofSeconds(1));
        }

        Instance(Duration pollInterval) {
            this(pollInterval, RedisFixture.calls(FLEET.connections()));
        }

        Instance(Duration pollInterval, RedisCalls redis) {
            LiveStore store = new LiveStore(redis, LiveFleet.CLOCK, Patience.DECISION_TIMEOUT, "", 50);
            count = new InstanceCount(store, instances, pollInterval);
            count.join();
        }

        int count() {
            // No poll has seen any.
            count.count(FLEET.clock().micros(), 0);
            return instances.count();
        }
    }
}
