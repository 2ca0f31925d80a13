package io.limiter.spring.internal.actuate;

import static io.limiter.spring.internal.actuate.Operated.get;
import static io.limiter.spring.internal.actuate.Operated.post;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.LiveLimits;
import io.limiter.testing.Eventually;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;

/** How live limits apply, in the instance that changes them and in another. */
class LiveLimitsTest extends TwoApplications {

    @ParameterizedTest
    @EnumSource
    void a_lower_live_limit_applies_here_immediately_and_soon_in_other_instances(Kind kind) throws Exception {
        assertThat(kind.granted(one)).isEqualTo(OWN_LIMIT);
        changed(kind.name, "{\"limit\":1,\"who\":\"ann\"}");
        assertThat(kind.granted(one)).isOne();
        Eventually.that(() -> assertThat(kind.granted(other)).isOne());
    }

    @ParameterizedTest
    @EnumSource
    void a_higher_live_limit_replaces_a_lower_one(Kind kind) throws Exception {
        assertThat(kind.granted(one)).isEqualTo(OWN_LIMIT);
        long version = changed(kind.name, "{\"limit\":1,\"who\":\"ann\"}");
        changed(kind.name, "{\"limit\":4,\"who\":\"ann\",\"version\":" + version + "}");
        assertThat(kind.granted(one)).isEqualTo(4);
        Eventually.that(() -> assertThat(kind.granted(other)).isEqualTo(4));
    }

    @ParameterizedTest
    @EnumSource
    void without_its_live_limit_a_limit_is_its_own_again(Kind kind) throws Exception {
        assertThat(kind.granted(one)).isEqualTo(OWN_LIMIT);
        long version = changed(kind.name, "{\"limit\":1,\"who\":\"ann\"}");
        Eventually.that(() -> assertThat(kind.granted(other)).isOne());
        removed(kind.name, version);
        assertThat(kind.granted(one)).isEqualTo(OWN_LIMIT);
        Eventually.that(() -> assertThat(kind.granted(other)).isEqualTo(OWN_LIMIT));
    }

    @ParameterizedTest
    @EnumSource(names = {"ANNOTATED", "HTTP_RULE", "SECOND_OF_HTTP_RULE"})
    void a_live_limit_switches_shadow_mode_on_until_it_is_removed(Kind kind) throws Exception {
        long version = changed(kind.name, "{\"enforce\":false,\"who\":\"ann\"}");
        assertThat(kind.granted(one)).isEqualTo(TRIES);
        Eventually.that(() -> assertThat(kind.granted(other)).isEqualTo(TRIES));
        assertThat(get(one, "limiters/" + kind.name).body())
                .as("it is still evaluated")
                .containsPattern("\"rejected\":\\{[^}]*\"re");
        removed(kind.name, version);
        assertThat(kind.granted(one)).isEqualTo(OWN_LIMIT);
        Eventually.that(() -> assertThat(kind.granted(other)).isEqualTo(OWN_LIMIT));
    }

    @Test
    void a_live_limit_changes_the_parameters_of_a_plan_or_of_the_limit_itself() throws Exception {
        assertThat(grantedUnder("pro", one)).isEqualTo(OWN_LIMIT + 1);
        changed("live-planned.pro", "{\"limit\":2,\"who\":\"ann\"}");
        assertThat(grantedUnder("pro", one)).isEqualTo(2);
        Eventually.that(() -> assertThat(grantedUnder("pro", other)).isEqualTo(2));
        changed("live-planned", "{\"limit\":1,\"who\":\"ann\"}");
        assertThat(grantedUnder("none", one)).isOne();
        assertThat(grantedUnder("pro", one)).as("has parameters of its own").isEqualTo(2);
    }

    @Test
    void a_live_limit_switches_shadow_mode_on_for_all_plans_and_one_of_a_plan_for_this() throws Exception {
        changed("live-planned", "{\"enforce\":false,\"who\":\"ann\"}");
        assertThat(grantedUnder("none", one)).isEqualTo(TRIES);
        assertThat(grantedUnder("pro", one)).isEqualTo(TRIES);
        changed("live-planned.pro", "{\"enforce\":true,\"who\":\"ann\"}");
        assertThat(grantedUnder("none", one)).isEqualTo(TRIES);
        assertThat(grantedUnder("pro", one)).isEqualTo(OWN_LIMIT + 1);
    }

    private static int grantedUnder(String plan, ConfigurableApplicationContext context) {
        String key = UUID.randomUUID().toString();
        Limited limited = context.getBean(Limited.class);
        return (int) IntStream.range(0, TRIES)
                .filter(i -> passes(() -> limited.planned(key, plan)))
                .count();
    }

    @Test
    void a_live_limit_of_concurrency_can_be_raised_and_lowered() throws Exception {
        for (ConfigurableApplicationContext context : List.of(one, other)) {
            rejectsTwo(context);
        }
        long version = changed("live-held", "{\"limit\":2,\"who\":\"ann\"}");
        grantsTwo(one);
        Eventually.that(() -> grantsTwo(other));
        changed("live-held", "{\"limit\":1,\"who\":\"ann\",\"version\":" + version + "}");
        rejectsTwo(one);
        Eventually.that(() -> rejectsTwo(other));
    }

    @Test
    void a_live_limit_puts_a_concurrency_limit_into_shadow_mode() throws Exception {
        rejectsTwo(one);
        changed("live-held", "{\"enforce\":false,\"who\":\"ann\"}");
        grantsTwo(one);
        Eventually.that(() -> grantsTwo(other));
    }

    private static void grantsTwo(ConfigurableApplicationContext context) {
        assertThat(passes(() -> holdTwo(context))).isTrue();
    }

    private static void rejectsTwo(ConfigurableApplicationContext context) {
        assertThat(passes(() -> holdTwo(context))).isFalse();
    }

    private static void holdTwo(ConfigurableApplicationContext context) {
        Limited limited = context.getBean(Limited.class);
        String key = UUID.randomUUID().toString();
        limited.held(key, () -> limited.held(key, () -> {}));
    }

    @Test
    void a_live_limit_changes_the_timeout_of_calls() throws Exception {
        twoCalls(one);
        changed("live-timeout", "{\"timeout\":0,\"who\":\"ann\"}");
        for (ConfigurableApplicationContext context : List.of(one, other)) {
            // Between the two calls a slow machine may need as long as a permit.
            Eventually.that(() -> assertThat(passes(() -> twoCalls(context))).isFalse());
        }
    }

    @Test
    void a_live_limit_lets_more_calls_wait_in_a_queue() throws Exception {
        changed("live-queue", "{\"kind\":\"leaky-queue\",\"capacity\":50,\"who\":\"ann\"}");
        String key = UUID.randomUUID().toString();
        List<CompletableFuture<Integer>> calls = IntStream.range(0, TRIES)
                .mapToObj(i -> HTTP.sendAsync(request(one, "/queue/x", key), HttpResponse.BodyHandlers.discarding())
                        .thenApply(HttpResponse::statusCode))
                .toList();
        assertThat(calls).extracting(CompletableFuture::join).doesNotContain(429);
    }

    private static void twoCalls(ConfigurableApplicationContext context) {
        String key = UUID.randomUUID().toString();
        context.getBean(Limited.class).waits(key);
        context.getBean(Limited.class).waits(key);
    }

    @Test
    void a_live_limit_applies_to_a_limiter_that_is_built_later() throws Exception {
        String name = "later-" + RUN;
        changed(name, "{\"kind\":\"fixed-window\",\"limit\":1,\"who\":\"ann\"}");
        assertThat(get(one, "livelimits/" + name).body())
                .contains("\"settings\":{\"kind\":\"fixed-window\",\"limit\":1}");
        Eventually.that(
                () -> assertThat(other.getBean(LiveLimits.class).get(name)).isPresent());
        for (ConfigurableApplicationContext context : List.of(one, other)) {
            assertThat(context.getBean(LimiterFactory.class)
                            .build(name, FixedWindow.of(OWN_LIMIT, DAY))
                            .on(UUID.randomUUID().toString())
                            .tryAcquire(2))
                    .isFalse();
        }
    }

    @Test
    void a_change_is_rolled_back_in_all_instances() throws Exception {
        long first = changed("live-annotated", "{\"limit\":1,\"who\":\"ann\"}");
        long second = changed("live-annotated", "{\"limit\":2,\"who\":\"ann\",\"version\":" + first + "}");
        HttpResponse<String> back = post(
                one,
                "livelimits",
                "{\"rollBack\":" + second + ",\"version\":" + second + ",\"who\":\"ben\",\"why\":\"too high\"}");
        assertThat(back.statusCode()).as(back.body()).isEqualTo(200);
        assertThat(JSON.readTree(back.body()).at("/after/settings/limit").asInt())
                .isOne();
        assertThat(Kind.ANNOTATED.granted(one)).isOne();
        Eventually.that(() -> assertThat(Kind.ANNOTATED.granted(other)).isOne());
    }
}
