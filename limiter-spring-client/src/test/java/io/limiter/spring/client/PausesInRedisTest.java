package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.limiter.Decision;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimits;
import io.limiter.redis.Rights;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.check.InternalLimitExceededException;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.TestCluster;
import io.limiter.testing.TestRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpHeaders;

/** Limits and pauses of applications whose Redis is not one that allows everything. */
class PausesInRedisTest {

    static class Events {

        final List<ClientPausedEvent> all = new CopyOnWriteArrayList<>();

        @EventListener
        public void paused(ClientPausedEvent event) {
            all.add(event);
        }
    }

    private static ApplicationContextRunner application(String... redis) {
        return Contexts.plain()
                .withConfiguration(Contexts.redis())
                .withBean(Events.class)
                .withPropertyValues(redis)
                .withPropertyValues(
                        "limiter.on-failure=throw",
                        "limiter.failure.decision-timeout=2m",
                        "limiter.clients.maps.timeout=0",
                        "limiter.clients.maps.limits.day.limit=4",
                        "limiter.clients.maps.limits.day.per=1d",
                        "limiter.clients.maps.limits.second.rate=1000");
    }

    private static ApplicationContextRunner asUser(RedisProcess redis) {
        return application(
                "spring.application.name=shop",
                "spring.data.redis.port=" + redis.port(),
                "spring.data.redis.username=limiter",
                "spring.data.redis.password=password");
    }

    private static ClientRule maps(ApplicationContext context) {
        return context.getBean(ClientRules.class).named("maps");
    }

    private static void receivesPause(ApplicationContext context) {
        HttpHeaders headers = new HttpHeaders();
        headers.set("Retry-After", "30");
        maps(context).answered(429, headers);
    }

    private static void assertIsRejected(ApplicationContext context) {
        assertThatExceptionOfType(InternalLimitExceededException.class)
                .isThrownBy(() -> maps(context).acquire());
    }

    /** Rejected for the pause, and not because its permits are spent. */
    private static void assertIsPaused(ApplicationContext context) {
        assertThat(catchThrowable(() -> maps(context).acquire()))
                .isInstanceOfSatisfying(
                        InternalLimitExceededException.class,
                        e -> assertThat(e.decision().source()).isEqualTo(Decision.Source.OVERRIDE));
    }

    private static void grant(RedisProcess redis, String... more) throws IOException {
        Rights.grant("127.0.0.1:" + redis.port(), more);
    }

    @Test
    void without_the_right_to_write_it_only_the_instance_with_the_response_pauses_and_the_log_says_so()
            throws IOException {
        try (RedisProcess redis = RedisProcess.start()) {
            grant(redis, "~shop:clientLimit:*");
            asUser(redis)
                    .run(one -> asUser(redis).run(other -> {
                        try (LogLines log = new LogLines(ClientPauses.class)) {
                            receivesPause(one);
                            assertIsPaused(one);
                            Events events = one.getBean(Events.class);
                            Eventually.that(() -> assertThat(events.all).hasSize(1));
                            assertThat(events.all.get(0).inFleet()).isFalse();
                            assertThat(log.all())
                                    .singleElement()
                                    .asString()
                                    .startsWith("WARN The third party of limiter.clients.maps answered 429")
                                    .contains(", in this instance only, because it cannot be stored: ")
                                    .contains("NOPERM");
                        }
                        maps(other).acquire();
                        assertThat(other.getBean(Events.class).all).isEmpty();
                    }));
        }
    }

    @Test
    void the_documented_rights_suffice_for_the_calls_of_clients_and_their_pauses() throws IOException {
        try (RedisProcess redis = RedisProcess.start()) {
            grant(redis, "~shop:clientLimit:*", "~{limiter:live*");
            asUser(redis)
                    .run(one -> asUser(redis).run(other -> {
                        maps(one).acquire();
                        receivesPause(one);
                        Eventually.that(() -> assertIsPaused(other));
                        Eventually.that(
                                () -> assertThat(one.getBean(Events.class).all).hasSize(1));
                        assertThat(one.getBean(Events.class).all.get(0).inFleet())
                                .isTrue();
                    }));
            assertThat(Rights.rejected("127.0.0.1:" + redis.port()))
                    // Which clients do without.
                    .allMatch(entry -> entry.startsWith("command client") || entry.equals("command info"));
        }
    }

    @Test
    void a_client_that_begins_during_a_pause_knows_it() {
        application("spring.data.redis.url=" + TestRedis.shared().uri(), "limiter.namespace=p" + UUID.randomUUID())
                .run(one -> {
                    receivesPause(one);
                    Eventually.that(
                            () -> assertThat(one.getBean(Events.class).all).hasSize(1));
                    ClientPauses late =
                            new ClientPauses(true, one.getBean(LiveLimits.class), event -> {}, System::nanoTime);
                    assertThat(late.of("maps", "maps/day").leftHere()).isGreaterThan(Duration.ofSeconds(25));
                    late.destroy();
                });
    }

    @Test
    void instances_of_a_cluster_share_the_permits_of_several_limits_and_the_pause() {
        try (TestCluster cluster = TestCluster.start(3)) {
            String nodes = "spring.data.redis.cluster.nodes=" + String.join(",", cluster.nodes());
            application(nodes)
                    .run(one -> application(nodes).run(other -> {
                        for (ApplicationContext each : List.of(one, other, one, other)) {
                            maps(each).acquire();
                        }
                        assertIsRejected(one);
                        assertIsRejected(other);
                        LiveLimits live = other.getBean(LiveLimits.class);
                        receivesPause(one);
                        Eventually.that(() -> assertThat(live.get("maps/day", LiveKey.of("maps")))
                                .isPresent());
                        Eventually.that(() -> assertIsPaused(other));
                    }));
        }
    }
}
