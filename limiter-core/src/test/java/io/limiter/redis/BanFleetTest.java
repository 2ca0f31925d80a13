package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.KeyBannedEvent;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Bans of several instances on one Redis. */
class BanFleetTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Ban BAN =
            Ban.after(10, Duration.ofSeconds(60)).withLengths(Duration.ofSeconds(300), Duration.ofSeconds(86_400));

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final Queue<String> events = new ConcurrentLinkedQueue<>();

    private LimiterFactory instance(Setup setup) {
        return redis.builder(setup)
                .listener(new LimiterListener() {
                    @Override
                    public boolean listensToRejections() {
                        return false;
                    }

                    @Override
                    public void onKeyBanned(KeyBannedEvent event) {
                        events.add(event.limiter() + " " + event.keys() + " "
                                + event.length().toSeconds());
                    }
                })
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()).withBan(BAN));
    }

    private List<Limiter> fleet(Setup setup, int instances) {
        return IntStream.range(0, instances)
                .mapToObj(i -> instance(setup).build("login", FixedWindow.of(1, HOUR)))
                .toList();
    }

    private Ban.@Nullable State stored() {
        byte[] value = RedisFixture.commands().get(redis.prefix() + "{ann}{login}:ban");
        return value == null
                ? null
                : new StateCodec().read("ann", value, BAN, redis.clock().micros(), 1);
    }

    private void awaitCounted(int rejections) {
        Eventually.that(() -> {
            Ban.State state = stored();
            assertThat(state == null ? 0 : state.rejectedMicros().size()).isEqualTo(rejections);
        });
    }

    private void awaitBanUntil(long micros) {
        Eventually.that(() -> {
            Ban.State state = stored();
            assertThat(state == null ? 0 : state.untilMicros()).isEqualTo(micros);
        });
    }

    @ParameterizedTest
    @EnumSource
    void exactly_the_rejection_of_the_fleet_that_completes_the_number_bans(Setup setup) {
        List<Limiter> fleet = Stream.generate(() -> instance(setup))
                .limit(2)
                .<Limiter>map(each -> each.build("login", TokenBucket.perSecond(0.1)))
                .toList();
        assertThat(fleet.get(0).tryAcquire("ann")).isTrue();
        for (int i = 1; i <= 10; i++) {
            Limiter limiter = fleet.get(i % 2);
            Decision rejected = limiter.decide("ann");
            assertThat(rejected.isGranted()).isFalse();
            assertThat(rejected.source()).as("rejection %s", i).isNotEqualTo(Source.OVERRIDE);
            if (i < 10) {
                awaitCounted(i);
            }
        }
        awaitBanUntil(redis.clock().micros() + 300_000_000L);
        // The one that has not begun it still knows the rejection before, for a second at most.
        redis.clock().advance(Duration.ofSeconds(1));
        assertThat(fleet).allSatisfy(limiter -> {
            Decision rejected = limiter.decide("ann");
            assertThat(rejected.source()).isEqualTo(Source.OVERRIDE);
            assertThat(rejected.retryAfter()).contains(Duration.ofSeconds(299));
        });
        Eventually.that(() -> assertThat(events).containsExactly("login [ann] 300"));
    }

    @Test
    void rejections_at_once_are_one_ban_of_the_usual_length() {
        List<Limiter> fleet = fleet(Setup.LETTUCE, 3);
        for (long length : new long[] {300, 600, 1200, 2400}) {
            events.clear();
            Concurrently.run(
                    3,
                    () -> fleet.forEach(limiter -> {
                        for (int i = 0; i < 20; i++) {
                            limiter.tryAcquire("ann");
                        }
                    }));
            awaitBanUntil(redis.clock().micros() + length * 1_000_000);
            Eventually.that(() -> assertThat(events).containsExactly("login [ann] " + length));
            redis.clock().advance(Duration.ofSeconds(length));
        }
    }

    @Test
    void a_banned_caller_costs_no_call_while_the_ban_is_known() {
        Limiter limiter = fleet(Setup.LETTUCE, 1).get(0);
        for (int i = 0; i < 11; i++) {
            limiter.tryAcquire("ann");
        }
        awaitBanUntil(redis.clock().micros() + 300_000_000L);
        Eventually.that(() -> assertThat(limiter.decide("ann").source()).isEqualTo(Source.OVERRIDE));
        // Rejections of before may still be counted.
        Eventually.that(() -> {
            RedisFixture.commands().configResetstat();
            for (int i = 0; i < 1000; i++) {
                assertThat(limiter.tryAcquire("ann")).isFalse();
                assertThat(limiter.on("ann").async().decide(1).join().source()).isEqualTo(Source.OVERRIDE);
            }
            assertThat(RedisFixture.commandsSent()).doesNotContainKey("evalsha");
        });
        redis.clock().advance(Duration.ofSeconds(1));
        for (int i = 0; i < 1000; i++) {
            assertThat(limiter.tryAcquire("ann")).isFalse();
        }
        assertThat(RedisFixture.commandsSent()).as("once a second").containsEntry("evalsha", 1L);
    }

    @Test
    void a_granted_decision_is_one_call() {
        Limiter limiter = instance(Setup.LETTUCE).build("login", TokenBucket.perSecond(100));
        limiter.tryAcquire("bob");
        RedisFixture.commands().configResetstat();
        assertThat(limiter.tryAcquire("ann")).isTrue();
        Map<String, Long> sent = RedisFixture.commandsSent();
        assertThat(sent).containsEntry("evalsha", 1L).containsEntry("set", 1L);
        assertThat(redis.keys()).as("no key for a ban").allMatch(key -> key.endsWith("}"));
    }

    @Test
    void the_ban_is_one_key_that_expires_when_the_record_is_good() {
        Limiter limiter = fleet(Setup.LETTUCE, 1).get(0);
        for (int i = 0; i < 11; i++) {
            limiter.tryAcquire("ann");
        }
        awaitBanUntil(redis.clock().micros() + 300_000_000L);
        assertThat(redis.keys())
                .containsExactlyInAnyOrder(redis.prefix() + "{ann}{login}:window", redis.prefix() + "{ann}{login}:ban");
        assertThat(RedisFixture.commands().pttl(redis.prefix() + "{ann}{login}:ban"))
                .isBetween(86_600_000L, 86_701_000L);
    }

    @Test
    void an_instance_that_ends_the_ban_ends_it_for_the_fleet_within_a_second() {
        List<Limiter> fleet = fleet(Setup.LETTUCE, 2);
        for (int i = 0; i < 11; i++) {
            fleet.get(0).tryAcquire("ann");
        }
        Eventually.that(() -> assertThat(fleet.get(1).decide("ann").source()).isEqualTo(Source.OVERRIDE));
        fleet.get(0).on("ann").reset();
        assertThat(fleet.get(0).decide("ann").isGranted()).isTrue();
        redis.clock().advance(Duration.ofSeconds(1));
        assertThat(fleet.get(1).decide("ann").source()).isNotEqualTo(Source.OVERRIDE);
    }

    /** By script and under a lock in turn, against an account of the rejections: never earlier, and never for long after. */
    @Test
    void random_callers_are_banned_when_the_account_of_the_fleet_says() {
        Random random = Seed.random();
        Ban ban = Ban.after(3, Duration.ofSeconds(60)).withLengths(Duration.ofSeconds(10), Duration.ofSeconds(80));
        List<Limiter> fleet = List.of(Setup.LETTUCE, Setup.REDIS_LOCK, Setup.JEDIS).stream()
                .<Limiter>map(setup -> instance(setup)
                        .with(LimiterOptions.NONE.withBan(ban))
                        .build("login", TokenBucket.perSecond(0.1)))
                .toList();
        List<Long> rejections = new ArrayList<>();
        long until = 0;
        long length = 0;
        for (int i = 0; i < 300; i++) {
            redis.clock().advance(Duration.ofMillis(1000 + random.nextInt(random.nextInt(10) == 0 ? 100_000 : 5_000)));
            long now = redis.clock().micros();
            Decision decision = fleet.get(random.nextInt(fleet.size())).decide("ann");
            assertThat(decision.source() == Source.OVERRIDE)
                    .as("step %s %s", i, Seed.hint())
                    .isEqualTo(now < until);
            if (decision.source() == Source.OVERRIDE) {
                assertThat(decision.retryAfterMicros())
                        .as("of the ban, or of the bucket")
                        .isBetween(until - now, Math.max(until - now, 10_000_000L));
            } else if (!decision.isGranted()) {
                rejections.add(now);
                rejections.removeIf(time -> time <= now - 60_000_000L);
                if (rejections.size() == ban.after()) {
                    boolean good = length == 0 || now >= until + 80_000_000L;
                    length = good ? 10_000_000L : Math.min(2 * length, 80_000_000L);
                    until = now + length;
                    rejections.clear();
                    awaitBanUntil(until);
                } else {
                    awaitCounted(rejections.size(), now);
                }
            }
        }
        assertThat(length).as("there were bans").isPositive();
        Eventually.that(() -> assertThat(redis.keys()).noneMatch(key -> key.endsWith(":lock")));
    }

    /** Older ones are dropped with the next that counts. */
    private void awaitCounted(int rejections, long lastMicros) {
        Eventually.that(() -> {
            Ban.State state = stored();
            assertThat(state).isNotNull();
            assertThat(state.rejectedMicros()).hasSize(rejections).endsWith((double) lastMicros);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"LETTUCE", "REDIS_LOCK"})
    void in_an_outage_each_instance_bans_whom_it_rejects_itself(Setup setup) {
        RedisProcess stopped = resources.redis();
        RedisConnectionFactory connections = resources.lettuce(Resources.at(stopped.port()));
        RedisRateLimiterFactory.Builder builder = setup.on(
                RedisRateLimiterFactory.builder(connections).failurePolicy(FailurePolicy.LOCAL),
                connections,
                RedisFixture::redisson);
        try (RedisRateLimiterFactory factory = builder.build()) {
            Limiter limiter = factory.with(LimiterOptions.NONE.withBan(BAN)).build("login", FixedWindow.of(2, HOUR));
            limiter.tryAcquire("ann");
            stopped.stop();
            Eventually.that(() -> assertThat(limiter.decide("bob").source()).isEqualTo(Source.LOCAL));
            for (int i = 0; i < 12; i++) {
                limiter.tryAcquire("ann");
            }
            Eventually.that(() -> assertThat(limiter.decide("ann").source()).isEqualTo(Source.OVERRIDE));
            Limiter denying = factory.with(LimiterOptions.NONE.withBan(BAN).withFailurePolicy(FailurePolicy.DENY))
                    .build("deny", FixedWindow.of(2, HOUR));
            for (int i = 0; i < 20; i++) {
                assertThat(denying.decide("ann").source()).isEqualTo(Source.POLICY);
            }
            Limiter allowing = factory.with(LimiterOptions.NONE.withBan(BAN).withFailurePolicy(FailurePolicy.ALLOW))
                    .build("allow", FixedWindow.of(2, HOUR));
            for (int i = 0; i < 20; i++) {
                assertThat(allowing.tryAcquire("ann")).isTrue();
            }
            stopped.goOn();
        }
    }
}
