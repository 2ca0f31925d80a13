package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterFailingEvent;
import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.LimiterRecoveredEvent;
import io.limiter.Share;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Eventually;
import io.limiter.testing.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A foreign value under a limiter's key: the policy decides, and listeners and the log report it. */
class ForeignValueTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final List<String> events = new CopyOnWriteArrayList<>();

    enum What {
        WRONGTYPE,
        UNREADABLE
    }

    @ParameterizedTest
    @EnumSource
    void is_reported_until_the_limiter_decides_again(Setup setup) {
        redis.expectForeignValues();
        try (RedisRateLimiterFactory factory = build(setup)) {
            Limiter limiter = factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                    .build("login", FixedWindow.of(5, Duration.ofHours(1)));
            for (What what : What.values()) {
                String key = redis.prefix() + "{ann}{login}:window";
                put(what, key);
                for (int i = 0; i < 5; i++) {
                    assertThat(limiter.decide("ann").source()).isEqualTo(Source.LOCAL);
                    assertThat(limiter.decide("bob" + what).source()).isEqualTo(Source.BACKEND);
                }
                assertThat(factory.backendState().up()).isTrue();
                Eventually.that(() -> assertThat(factory.backendState().failing())
                        .singleElement()
                        .satisfies(failing -> {
                            assertThat(failing.limiter()).isEqualTo(redis.prefix() + "login");
                            assertThat(failing.failure().problem()).isEqualToIgnoringCase(what.name());
                            assertThat(failing.failure()).hasMessageContaining("redis-cli: DEL \"" + key + "\"");
                            assertThat(failing.failure().remedy().orElseThrow())
                                    .contains("delete the key")
                                    .doesNotContain("ann");
                        }));
                RedisFixture.commands().del(key);
                assertThat(limiter.decide("ann").source()).isEqualTo(Source.BACKEND);
                assertThat(factory.backendState().failing()).isEmpty();
            }
            Eventually.that(() -> assertThat(events).containsExactly("failing WRONGTYPE", "recovered"));
        }
    }

    /** The clock of this Redis shows November 2025, and that of this machine a later time. */
    @ParameterizedTest
    @EnumSource
    void an_instance_that_decides_alone_counts_by_the_servers_time(Setup setup) {
        redis.expectForeignValues();
        try (RedisRateLimiterFactory factory = build(setup)) {
            Limiter limiter = factory.with(
                            LimiterOptions.NONE.withPrefix(redis.prefix()).withWarnAt(Share.permits(1)))
                    .build("login", FixedWindow.of(1, CalendarPeriod.MONTH));
            Instant end = Instant.parse("2025-12-01T00:00:00Z");
            assertThat(limiter.decide("ann").periodEnd()).contains(end);
            put(What.WRONGTYPE, redis.prefix() + "{bob}{login}:window");
            Decision granted = limiter.decide("bob");
            assertThat(granted.source()).isEqualTo(Source.LOCAL);
            assertThat(granted.periodEnd()).contains(end);
            Decision rejected = limiter.decide("bob");
            assertThat(rejected.isGranted()).isFalse();
            assertThat(rejected.retryAfter())
                    .as("Redis may be back before the end of the month")
                    .contains(Duration.ofMinutes(1));
            limiter.on("bob").charge(1);
            assertThat(factory.statistics().totals().get(0).warnings())
                    .as("one by Redis, and none without it")
                    .isEqualTo(1);
        }
    }

    @Test
    void the_suggested_command_quotes_the_key() {
        redis.expectForeignValues();
        try (RedisRateLimiterFactory factory = build(Setup.LETTUCE)) {
            Limiter limiter = factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                    .build("login", FixedWindow.of(5, Duration.ofHours(1)));
            String evil = "\"$(reboot)`\\!'";
            put(What.WRONGTYPE, redis.prefix() + "{" + evil + "}{login}:window");
            assertThat(limiter.decide(evil).source()).isEqualTo(Source.LOCAL);
            Eventually.that(() -> assertThat(factory.backendState().failing())
                    .singleElement()
                    .satisfies(failing -> assertThat(failing.failure())
                            .hasMessageContaining("DEL \"" + redis.prefix()
                                    + "{\\x22\\x24(reboot)\\x60\\x5c\\x21'}{login}:window\"")));
        }
    }

    private static void put(What what, String key) {
        RedisFixture.commands().del(key);
        if (what == What.WRONGTYPE) {
            RedisFixture.commands().lpush(key, bytes("a foreign list"));
        } else {
            RedisFixture.commands().set(key, bytes("a foreign text"));
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private RedisRateLimiterFactory build(Setup setup) {
        return redis.builder(setup)
                .decisionTimeout(Patience.DECISION_TIMEOUT)
                .failurePolicy(FailurePolicy.LOCAL)
                .listener(new LimiterListener() {
                    @Override
                    public void onLimiterFailing(LimiterFailingEvent event) {
                        events.add("failing " + event.limiter().failure().problem());
                    }

                    @Override
                    public void onLimiterRecovered(LimiterRecoveredEvent event) {
                        events.add("recovered");
                    }
                })
                .build();
    }
}
