package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Requests that are charged by the status of their response: the same for servlets and for WebFlux. */
public abstract class ChargedResponsesContract extends ServerContract {

    protected static final String RULE = "httpLimit:";
    protected static final String METHOD = "countLimit:";

    private final String who = UUID.randomUUID().toString();
    private ConfigurableApplicationContext server;

    @BeforeAll
    void open() {
        server = start();
    }

    /** Three permits an hour each. */
    @Override
    protected List<String> settings() {
        return List.of(
                "http.login.path=/answer/**",
                "http.login.key=#{param('who')}",
                "http.login.charge-on=401,403",
                "http.login.limits.one.limit=3",
                "http.login.limits.one.per=3600",
                "http.failures.path=/throw/**,/answer/500",
                "http.failures.key=#{param('who')}",
                "http.failures.charge-on=failure",
                "http.failures.limits.one.limit=3",
                "http.failures.limits.one.per=3600",
                "http.successes.path=/answer/**",
                "http.successes.key=#{param('who')}",
                "http.successes.charge-on=success",
                "http.successes.limits.one.limit=100",
                "http.successes.limits.one.per=3600",
                "http.tried.path=/annotated/**",
                "http.tried.key=#{param('who')}",
                "http.tried.enforce=false",
                "http.tried.charge-on=4xx",
                "http.tried.limits.one.limit=3",
                "http.tried.limits.one.per=3600",
                "http.failures-before.path=/twice-limited/**",
                "http.failures-before.key=#{param('who')}",
                "http.failures-before.charge-on=failure",
                "http.failures-before.limits.one.limit=3",
                "http.failures-before.limits.one.per=3600",
                "http.rejects.path=/twice-limited/by-rule",
                "http.rejects.key=#{param('who')}",
                "http.rejects.order=1",
                "http.rejects.limits.one.limit=1",
                "http.rejects.limits.one.per=3600");
    }

    protected final int status(String path) throws Exception {
        return call("GET", server, path + "?who=" + who).statusCode();
    }

    /** Waits until the response is settled, which the caller does not wait for. */
    protected final void assertLeft(String prefix, String name, int limit, int expected) {
        LimiterFactory limiters = server.getBean(LimiterFactory.class).with(LimiterOptions.NONE.withPrefix(prefix));
        Eventually.that(() -> assertThat(limiters.build(name, FixedWindow.of(limit, Duration.ofHours(1)))
                        .on(who)
                        .peek()
                        .remaining())
                .as(name)
                .isEqualTo(expected));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/answer", "/answer/later", "/answer/exception"})
    void a_rule_charges_only_responses_of_its_statuses(String path) throws Exception {
        String mine = path + "/";
        for (int i = 0; i < 5; i++) {
            assertThat(status(mine + "404")).isEqualTo(404);
            assertLeft(RULE, "login", 3, 3);
        }
        assertThat(status(mine + "401")).isEqualTo(401);
        assertThat(status(mine + "403")).isEqualTo(403);
        assertThat(status(mine + "401")).isEqualTo(401);
        assertLeft(RULE, "login", 3, 0);
        assertThat(status(mine + "404")).isEqualTo(429);
        reset(RULE, "login");
    }

    @Test
    void a_response_shows_the_permits_before_they_are_returned() throws Exception {
        Reply granted = call("GET", server, "/answer/404?who=" + who);
        assertThat(header(granted, "RateLimit")).contains("\"login\";r=2;");
        assertLeft(RULE, "login", 3, 3);
    }

    @Test
    void failures_are_statuses_from_400_and_exceptions_without_a_handler() throws Exception {
        assertThat(status("/answer/500")).isEqualTo(500);
        assertLeft(RULE, "failures", 3, 2);
        assertThat(status("/throw/unhandled")).isEqualTo(500);
        assertLeft(RULE, "failures", 3, 1);
        for (int i = 0; i < 5; i++) {
            assertThat(status("/throw/nothing")).isEqualTo(200);
            assertLeft(RULE, "failures", 3, 1);
        }
        reset(RULE, "failures");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/twice-limited/by-rule", "/twice-limited/by-method"})
    void a_rejection_by_another_limit_is_no_failure(String path) throws Exception {
        assertThat(status(path)).isEqualTo(404);
        assertLeft(RULE, "failures-before", 3, 2);
        for (int i = 0; i < 5; i++) {
            assertThat(status(path)).isEqualTo(429);
            assertLeft(RULE, "failures-before", 3, 2);
        }
        reset(RULE, "failures-before");
    }

    @Test
    void successes_are_all_other_statuses() throws Exception {
        assertThat(status("/answer/204")).isEqualTo(204);
        assertThat(status("/answer/404")).isEqualTo(404);
        assertThat(status("/answer/302")).isEqualTo(302);
        assertLeft(RULE, "successes", 100, 98);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/annotated", "/annotated/later", "/annotated/exception"})
    void a_method_is_charged_by_the_status_of_its_response(String path) throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(status(path + "/404")).isEqualTo(404);
            assertLeft(METHOD, "charged", 3, 3);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(status(path + "/401")).isEqualTo(401);
        }
        assertThat(status(path + "/404")).isEqualTo(429);
        reset(METHOD, "charged");
    }

    @Test
    void shadow_mode_is_charged_by_the_status_too() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(status("/annotated/200")).isEqualTo(200);
            assertLeft(RULE, "tried", 3, 3);
        }
        assertThat(status("/annotated/404")).isEqualTo(404);
        assertLeft(RULE, "tried", 3, 2);
        reset(RULE, "tried");
    }

    protected final void reset(String prefix, String name) {
        server.getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withPrefix(prefix))
                .build(name, FixedWindow.of(3, Duration.ofHours(1)))
                .on(who)
                .reset();
    }
}
