package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.limiter.spring.LogLines;
import io.limiter.spring.internal.check.RejectionLog;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Headers and bodies of responses, and shadow mode: the same for servlets and for WebFlux. */
public abstract class AnswerContract extends ServerContract {

    private static final List<String> RULES = List.of(
            "web.headers=both",
            "http.granting.path=/never",
            "http.granting.key=#{param('run')}",
            "http.granting.limits.one.limit=5",
            "http.granting.limits.one.per=3600",
            "http.shared.path=/shared/**",
            "http.shared.key=header:X-Api-Key",
            "http.shared.limits.one.limit=1",
            "http.shared.limits.one.per=3600",
            "http.tried.path=/tried/header",
            "http.tried.key=header:X-Api-Key",
            "http.tried.enforce=false",
            "http.tried.limits.one.limit=1",
            "http.tried.limits.one.per=3600",
            "http.queue.path=/tried/queue",
            "http.queue.key=#{param('run')}",
            "http.queue.enforce=false",
            "http.queue.limits.one.kind=leaky-queue",
            "http.queue.limits.one.rate=0.001",
            "http.queue.limits.one.capacity=1",
            // Without one, a call would wait for ten seconds at most in a servlet.
            "http.queue.limits.one.timeout=1h",
            "http.several.path=/tried/several",
            "http.several.key=#{param('run')}",
            "http.several.enforce=false",
            "http.several.limits.one.rate=0.001",
            "http.several.limits.one.burst=1000",
            "http.several.limits.one.timeout=1500",
            "http.several.limits.two.limit=100",
            "http.several.limits.two.per=3600",
            "http.unkeyed.path=/unkeyed",
            "http.unkeyed.key=#{header('X-Tenant').trim()}:x",
            "http.unkeyed.limits.one.limit=1",
            "http.unkeyed.limits.one.per=3600",
            "http.committed.path=/committed",
            "http.committed.key=#{param('run')}",
            "http.committed.limits.one.limit=1",
            "http.committed.limits.one.per=3600");

    /** Header of requests whose response a filter before the limits commits. */
    protected static final String COMMIT = "X-Commit";

    private ConfigurableApplicationContext usual;

    @Override
    protected List<String> settings() {
        return RULES;
    }

    @BeforeAll
    void open() {
        usual = start();
    }

    protected final Reply get(String path, String... headers) throws Exception {
        return call("GET", usual, path + (path.contains("?") ? "&" : "?") + "run=" + run, headers);
    }

    @Test
    void windows_of_other_limits_do_not_end_after_retry_after() throws Exception {
        assertThat(get("/caught").statusCode()).isEqualTo(200);
        Reply rejected = get("/caught");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(retryAfter(rejected)).isBetween(1L, 600L);
        assertThat(header(rejected, "RateLimit")).matches("\"hour\";r=0, \"minutes\";r=0;t=" + retryAfter(rejected));
        assertThat(header(rejected, "X-RateLimit-Limit")).isEqualTo("2");
        assertThat(header(rejected, "X-RateLimit-Reset")).isEqualTo(header(rejected, "Retry-After"));
        assertThat(problem(rejected).get("violated-policies")).hasToString("[\"minutes\"]");
    }

    @Test
    void headers_of_one_limit_do_not_stay_next_to_those_of_another() throws Exception {
        Reply rejected = get("/never");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(header(rejected, "RateLimit")).matches("\"granting\";r=5, \"huge\";r=7");
        assertThat(header(rejected, "X-RateLimit-Limit")).isEqualTo("7");
        assertThat(header(rejected, "X-RateLimit-Remaining")).isEqualTo("7");
        assertThat(rejected.header("X-RateLimit-Reset").orElse(""))
                .as("waiting does not help")
                .isEmpty();
        assertThat(rejected.header("Retry-After")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"en, Missing rate-limit key", "zh, 请求缺少限流所需的 key"})
    void a_call_without_its_key_is_a_bad_request_whose_detail_hides_the_code(String language, String detail)
            throws Exception {
        Reply bad = get("/keyed", "Accept-Language", language);
        assertThat(bad.statusCode()).isEqualTo(400);
        assertThat(problem(bad).get("title").asText()).isEqualTo("Bad Request");
        assertThat(problem(bad).get("instance").asText()).isEqualTo("/keyed");
        assertThat(problem(bad).get("detail").asText()).isEqualTo(detail);
        assertThat(bad.header("Retry-After")).isEmpty();
    }

    @Test
    void a_request_without_its_key_is_logged_with_rule_and_header_once_a_minute() throws Exception {
        try (LogLines log = new LogLines(RejectionLog.class)) {
            for (int i = 0; i < 2; i++) {
                assertThat(get("/unkeyed").statusCode()).isEqualTo(400);
            }
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("INFO limiter.http.unkeyed has rejected a call")
                    .endsWith("the request has no valid header X-Tenant, which is part of the key of its limit");
        }
    }

    @Test
    void shadow_mode_lets_requests_without_a_key_pass() throws Exception {
        try (LogLines log = new LogLines(RejectionLog.class)) {
            Reply answer = get("/tried/header");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers()).doesNotContainKeys("RateLimit", "RateLimit-Policy");
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .contains("limiter.http.tried would have rejected a call")
                    .endsWith("the request has no header X-Api-Key, which is the key of its limit");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"queue", "several"})
    void shadow_mode_reserves_permits_and_delays_no_request(String path) throws Exception {
        try (LogLines log = new LogLines(RejectionLog.class)) {
            for (int i = 0; i < 2; i++) {
                assertThat(get("/tried/" + path).statusCode()).isEqualTo(200);
            }
            assertThat(log.all()).as("who would have waited").isEmpty();
            for (int i = 0; i < 2; i++) {
                assertThat(get("/tried/" + path).statusCode()).isEqualTo(200);
            }
            Awaitility.await()
                    .untilAsserted(() -> assertThat(log.all())
                            .singleElement()
                            .asString()
                            .contains("limiter.http." + path + " would have rejected a call"));
        }
    }

    @Test
    void shadow_mode_does_not_need_redis() throws Exception {
        ConfigurableApplicationContext alone =
                start("spring.data.redis.url=redis://127.0.0.1:1", "limiter.failure.decision-timeout=100ms");
        try (LogLines log = new LogLines(RejectionLog.class)) {
            String path = "/tried/header?run=" + run;
            assertThat(call("GET", alone, path, "X-Api-Key", run).statusCode()).isEqualTo(200);
            assertThat(call("GET", alone, "/shared/x?run=" + run, "X-Api-Key", run)
                            .statusCode())
                    .isEqualTo(503);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(log.all())
                            .singleElement()
                            .asString()
                            .contains("limiter.http.tried would have rejected a call"));
        }
    }

    @Test
    void a_rejection_after_the_response_is_committed_writes_nothing_and_ends_the_request() throws Exception {
        assertThat(get("/committed").body()).isEqualTo("done");
        try (LogLines log = new LogLines("io.limiter.spring.internal.web", Level.DEBUG)) {
            Reply committed = get("/committed", COMMIT, "1");
            assertThat(committed.statusCode()).isEqualTo(200);
            assertThat(committed.body()).isEqualTo("begun");
            assertThat(committed.headers()).doesNotContainKeys("Retry-After", "RateLimit");
            Awaitility.await()
                    .untilAsserted(() -> assertThat(log.all())
                            .contains("DEBUG Rejected a request whose response is already committed"));
            assertThat(log.all()).allMatch(line -> line.startsWith("DEBUG"));
        }
    }

    @Test
    void refunded_permits_remain() throws Exception {
        for (int i = 0; i < 2; i++) {
            Reply rejected = get("/refunded");
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(header(rejected, "RateLimit")).isEqualTo("\"spent\";r=5, \"busy\";r=1");
            assertThat(problem(rejected).get("violated-policies")).hasToString("[\"busy\"]");
        }
    }

    @Test
    void the_language_of_rules_is_that_of_the_application() throws Exception {
        ConfigurableApplicationContext chinese = start("spring.web.locale-resolver=fixed", "spring.web.locale=zh");
        String[] caller = {"X-Api-Key", "zh" + run, "Accept-Language", "en"};
        call("GET", chinese, "/shared/x?run=" + run, caller);
        Reply ofRule = call("GET", chinese, "/shared/x?run=" + run, caller);
        assertThat(problem(ofRule).get("detail").asText()).startsWith("请求过于频繁");
        Reply ofMethod = call("GET", chinese, "/keyed?run=" + run, caller);
        assertThat(problem(ofMethod).get("detail").asText()).startsWith("请求缺少");
    }
}
