package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** What callers see over HTTP, from a real server and over a real Redis: the same for servlets and for WebFlux. */
public abstract class HttpContract extends ServerContract {

    private static final Pattern TIME = Pattern.compile(";t=(\\d+)");

    private ConfigurableApplicationContext usual;
    private ConfigurableApplicationContext other;

    @BeforeAll
    void open() {
        usual = start();
        other = start(
                "limiter.web.headers=both",
                "limiter.web.status=420",
                "limiter.web.body=text",
                "limiter.web.message=Slow down for {0} seconds");
    }

    @Override
    protected List<String> settings() {
        return List.of(
                "key.trusted-proxies=127.0.0.0/8,::1",
                "limits.dry.enforce=false",
                "http.api.path=/api/**",
                "http.api.exclude=/api/health/**",
                "http.api.methods=GET",
                "http.api.key=header:X-Api-Key",
                "http.api.limits.one.limit=2",
                "http.api.limits.one.per=3600",
                "http.files.path[0]=/files/**",
                "http.files.path[1]=/missing/**",
                "http.files.key=#{param('run')}:#{path()}",
                "http.files.limits.one.rate=0.001",
                "http.files.limits.one.burst=1000s",
                "http.mine.path=/mine/**",
                "http.mine.key=user",
                "http.mine.limits.one.limit=1",
                "http.mine.limits.one.per=3600",
                "http.address.path=/address/**",
                "http.address.limits.one.limit=1",
                "http.address.limits.one.per=3600",
                "http.several.path=/several",
                "http.several.key=#{param('run')}",
                "http.several.limits.one.limit=5",
                "http.several.limits.one.per=3600",
                "http.several.limits.two.kind=sliding-log",
                "http.several.limits.two.limit=1",
                "http.several.limits.two.per=1800",
                "http.tried.path=/tried",
                "http.tried.key=all",
                "http.tried.enforce=false",
                "http.tried.limits.one.limit=1",
                "http.tried.limits.one.per=3600");
    }

    @Test
    void a_granted_response_has_the_remaining_permits() throws Exception {
        Reply granted = get("/one");
        assertThat(granted.statusCode()).isEqualTo(200);
        assertThat(granted.body()).isEqualTo("done");
        assertThat(header(granted, "RateLimit-Policy")).isEqualTo("\"one\";q=1;w=60");
        assertThat(header(granted, "RateLimit")).matches("\"one\";r=0;t=\\d+");
        assertThat(time(granted)).isBetween(1L, 60L);
        assertThat(granted.header("Retry-After")).isEmpty();
        assertThat(granted.header("X-RateLimit-Limit")).isEmpty();
    }

    @Test
    void a_rejection_is_a_problem_with_retry_after() throws Exception {
        assertThat(get("/one").statusCode()).isEqualTo(200);
        Reply rejected = get("/one");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(header(rejected, "RateLimit-Policy")).isEqualTo("\"one\";q=1;w=60");
        assertThat(header(rejected, "RateLimit")).matches("\"one\";r=0;t=\\d+");
        assertThat(retryAfter(rejected)).isEqualTo(time(rejected)).isBetween(1L, 60L);
        assertThat(header(rejected, "Content-Type")).isEqualTo("application/problem+json");
        JsonNode problem = problem(rejected);
        assertThat(problem.size()).isEqualTo(7);
        assertThat(problem.get("type").asText())
                .isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
        assertThat(problem.get("title").asText()).isEqualTo("Too Many Requests");
        assertThat(problem.get("status").asInt()).isEqualTo(429);
        assertThat(problem.get("instance").asText()).isEqualTo("/one");
        assertThat(problem.get("violated-policies")).hasToString("[\"one\"]");
        assertThat(problem.get("retryAfterSeconds").asLong()).isEqualTo(retryAfter(rejected));
        assertThat(problem.get("detail").asText())
                .isEqualTo("Too many requests, try again in " + retryAfter(rejected) + " s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/html", "application/xml"})
    void a_rejection_is_a_problem_whatever_the_caller_accepts(String type) throws Exception {
        get("/one");
        Reply rejected = get("/one", "Accept", type);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(header(rejected, "Content-Type")).isEqualTo("application/problem+json");
    }

    @ParameterizedTest
    @CsvSource({"zh-CN, 请求过于频繁", "zh, 请求过于频繁", "en-GB, Too many requests", "fr, Too many requests"})
    void the_detail_is_in_the_language_of_the_request(String language, String expected) throws Exception {
        get("/one");
        Reply rejected = get("/one", "Accept-Language", language);
        assertThat(problem(rejected).get("detail").asText())
                .startsWith(expected)
                .contains(" " + retryAfter(rejected));
    }

    @Test
    void the_message_of_the_annotation_is_the_detail() throws Exception {
        get("/message");
        assertThat(problem(get("/message")).get("detail").asText()).isEqualTo("one \"code\" a minute");
    }

    @Test
    void each_limit_is_a_member_and_no_window_ends_after_retry_after() throws Exception {
        Reply granted = get("/both");
        assertThat(header(granted, "RateLimit-Policy")).isEqualTo("\"perMinute\";q=2;w=120, \"perDay\";q=3;w=86400");
        assertThat(header(granted, "RateLimit")).matches("\"perMinute\";r=1;t=\\d+, \"perDay\";r=2;t=\\d+");
        get("/both");
        Reply rejected = get("/both");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(header(rejected, "RateLimit"))
                .as("nothing was taken from the day")
                .matches("\"perMinute\";r=0;t=\\d+, \"perDay\";r=1");
        assertThat(retryAfter(rejected)).isGreaterThanOrEqualTo(time(rejected));
        assertThat(problem(rejected).get("violated-policies")).hasToString("[\"perMinute\"]");
    }

    @Test
    void all_limited_calls_of_a_request_are_charged_and_in_the_headers() throws Exception {
        Reply granted = get("/services");
        assertThat(granted.statusCode()).isEqualTo(200);
        assertThat(header(granted, "RateLimit"))
                .as("first was called twice")
                .matches("\"first\";r=3;t=\\d+, \"second\";r=4;t=\\d+");
    }

    @Test
    void the_policy_of_an_unnamed_limit_hides_the_method() throws Exception {
        assertThat(header(get("/unnamed"), "RateLimit-Policy")).matches("\"limit-[0-9a-f]{8}\";q=5;w=3600");
    }

    @Test
    void limits_in_shadow_mode_and_skipped_limits_are_not_in_the_headers() throws Exception {
        for (String path : new String[] {"/dry", "/skipped", "/tried"}) {
            get(path);
            Reply answer = get(path);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers()).doesNotContainKeys("RateLimit", "RateLimit-Policy");
        }
    }

    @Test
    void the_applications_exception_handler_wins() throws Exception {
        get("/own");
        Reply rejected = get("/own");
        assertThat(rejected.statusCode()).isEqualTo(509);
        assertThat(rejected.body()).isEqualTo("own handler");
        assertThat(header(rejected, "RateLimit")).matches("\"own\";r=0;t=\\d+");
    }

    @Test
    void a_limit_of_a_controller_is_for_its_handler_methods() throws Exception {
        String[] caller = {"X-Forwarded-For", address()};
        Reply granted = get("/whole", caller);
        assertThat(granted.statusCode()).isEqualTo(200);
        assertThat(header(granted, "RateLimit")).startsWith("\"whole\";r=0");
        Reply rejected = get("/whole", caller);
        assertThat(rejected.statusCode()).isEqualTo(509);
        assertThat(rejected.body()).isEqualTo("own handler");
    }

    @Test
    void a_failure_of_the_backend_is_reduced_capacity() throws Exception {
        Reply answer = get("/backend");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(problem(answer).get("type").asText())
                .isEqualTo("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
        assertThat(answer.body()).doesNotContain("Redis is gone").doesNotContain("secret-key");
    }

    @Test
    void futures_are_limited() throws Exception {
        Reply granted = get("/future");
        assertThat(granted.statusCode()).isEqualTo(200);
        assertThat(granted.body()).isEqualTo("done");
        assertThat(header(granted, "RateLimit")).matches("\"future\";r=0;t=\\d+");
        Reply rejected = get("/future");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(header(rejected, "RateLimit")).matches("\"future\";r=0;t=\\d+");
        assertThat(problem(rejected).get("violated-policies")).hasToString("[\"future\"]");
    }

    @Test
    void a_limited_method_that_returns_a_future_reads_facts_of_its_request() throws Exception {
        String path = path("/future/facts");
        for (String user : new String[] {"ann", "bob", ""}) {
            String[] caller = {"X-Tenant", "acme", "X-User", user};
            Reply granted = call("GET", usual, path + "&n=3", caller);
            assertThat(granted.statusCode()).as(user).isEqualTo(200);
            assertThat(granted.body()).isEqualTo("done");
            assertThat(header(granted, "RateLimit")).matches("\"futureFacts\";r=1;t=\\d+");
            Reply rejected = call("GET", usual, path + "&n=2", caller);
            assertThat(rejected.statusCode()).as(user).isEqualTo(429);
            assertThat(header(rejected, "RateLimit")).matches("\"futureFacts\";r=1;t=\\d+");
        }
        Reply bad = call("GET", usual, path + "&n=1");
        assertThat(bad.statusCode()).isEqualTo(400);
        assertThat(problem(bad).get("detail").asText())
                .isEqualTo("the request has no valid header X-Tenant, which is part of the key of its limit");
    }

    @Test
    void users_have_keys_of_their_own_and_anonymous_callers_their_address() throws Exception {
        for (String path : new String[] {"/user", "/mine/x"}) {
            String address = address();
            for (String user : new String[] {"ann-" + run, "bob-" + run, ""}) {
                String[] caller = {"X-User", user, "X-Forwarded-For", address};
                assertThat(get(path, caller).statusCode()).as(user).isNotEqualTo(429);
                assertThat(get(path, caller).statusCode()).as(user).isEqualTo(429);
            }
        }
    }

    @Test
    void a_limited_method_has_a_source_of_the_request_as_its_key() throws Exception {
        for (String key : new String[] {"a-" + run, "b-" + run}) {
            assertThat(get("/source", "X-Api-Key", key).statusCode()).isEqualTo(200);
            assertThat(get("/source", "X-Api-Key", key).statusCode()).isEqualTo(429);
        }
        Reply bad = get("/source");
        assertThat(bad.statusCode()).isEqualTo(400);
        assertThat(problem(bad).get("detail").asText())
                .isEqualTo("the request has no header X-Api-Key, which is the key of its limit");
    }

    @Test
    void a_limited_method_reads_facts_of_its_request() throws Exception {
        String path = path("/facts");
        for (String tenant : new String[] {"a", "b"}) {
            Reply granted = call("GET", usual, path + "&n=1.5", "X-Tenant", tenant);
            assertThat(granted.statusCode()).isEqualTo(200);
            assertThat(header(granted, "RateLimit")).matches("\"facts\";r=1;t=\\d+");
            assertThat(call("GET", usual, path + "&n=1", "X-Tenant", tenant).statusCode())
                    .isEqualTo(429);
            assertThat(call("GET", usual, path + "&n=1", "X-Tenant", tenant, "Cookie", "free=1")
                            .statusCode())
                    .as("the limit does not apply")
                    .isEqualTo(200);
        }
        for (String n : new String[] {"&n=abc", "&n=", "", "&n=-0.3"}) {
            Reply bad = call("GET", usual, path + n, "X-Tenant", "a");
            assertThat(bad.statusCode()).as(n).isEqualTo(400);
            assertThat(problem(bad).get("detail").asText())
                    .isEqualTo("the request has no valid parameter n for its limit");
        }
    }

    @Test
    void facts_of_the_request_are_known_when_the_outcome_of_its_call_is() throws Exception {
        assertThat(header(get("/used", "X-Used", "-2"), "RateLimit")).matches("\"used\";r=5;t=\\d+");
        assertThat(header(get("/used", "X-Free", "yes", "X-Used", "0"), "RateLimit"))
                .as("2 were used")
                .matches("\"used\";r=3;t=\\d+");
        assertThat(header(get("/used", "X-Used", "0"), "RateLimit"))
                .as("none was charged")
                .matches("\"used\";r=3;t=\\d+");
    }

    @Test
    void addresses_behind_trusted_proxies_are_keys() throws Exception {
        for (String path : new String[] {"/ip", "/address/x"}) {
            String network = network();
            for (String address : new String[] {network + "1", network + "2"}) {
                assertThat(get(path, "X-Forwarded-For", address).statusCode()).isNotEqualTo(429);
                assertThat(get(path, "X-Forwarded-For", "1.1.1.1, " + address).statusCode())
                        .isEqualTo(429);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"native", "framework"})
    void a_forwarded_address_need_not_be_a_plain_one(String strategy) throws Exception {
        ConfigurableApplicationContext replacing = start("server.forward-headers-strategy=" + strategy);
        for (String unreadable : new String[] {"unknown", "_hidden", "a-host", "3.3.3.3.3"}) {
            for (String[] caller : new String[][] {
                {"X-Forwarded-For", unreadable}, {"Forwarded", "for=" + unreadable}, {"Forwarded", "for=\"[::x]:1\""}
            }) {
                call("GET", replacing, "/address/x", caller);
                assertThat(call("GET", replacing, "/address/x", caller).statusCode())
                        .as("all have the same permits: " + String.join(" ", caller))
                        .isEqualTo(429);
            }
        }
        String address = address();
        assertThat(call("GET", replacing, "/address/x", "X-Forwarded-For", address + ":4444")
                        .statusCode())
                .isEqualTo(404);
        assertThat(call("GET", replacing, "/address/x", "X-Forwarded-For", address + ":5555")
                        .statusCode())
                .isEqualTo(429);
        assertThat(call("GET", replacing, "/address/x", "X-Forwarded-For", address)
                        .statusCode())
                .isEqualTo(429);
    }

    @Test
    void a_rule_limits_requests_without_a_handler() throws Exception {
        Reply missing = get("/missing/page");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(header(missing, "RateLimit")).startsWith("\"files\";r=0;t=");
        Reply rejected = get("/missing/page");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(problem(rejected).get("violated-policies")).hasToString("[\"files\"]");
        assertThat(retryAfter(rejected)).isEqualTo(time(rejected)).isBetween(1L, 1000L);
        assertThat(get("/missing/other").statusCode()).isEqualTo(404);
    }

    @Test
    void a_rule_limits_static_files() throws Exception {
        Reply file = get("/files/hello.txt");
        assertThat(file.statusCode()).isEqualTo(200);
        assertThat(file.body().strip()).isEqualTo("hello");
        assertThat(header(file, "RateLimit-Policy")).isEqualTo("\"files\";q=1;w=1000");
        assertThat(get("/files/hello.txt").statusCode()).isEqualTo(429);
    }

    @Test
    void a_rule_knows_methods_and_exclusions() throws Exception {
        String[] caller = {"X-Api-Key", run};
        assertThat(get("/api/one", caller).statusCode()).isEqualTo(200);
        assertThat(call("HEAD", usual, path("/api/one"), caller).statusCode())
                .as("what answers GET answers HEAD")
                .isEqualTo(200);
        assertThat(get("/api/one", caller).statusCode()).isEqualTo(429);
        assertThat(get("/api/one", "X-Api-Key", "other-" + run).statusCode()).isEqualTo(200);
        assertThat(call("POST", usual, "/api/one", caller).statusCode()).isEqualTo(200);
        Reply health = get("/api/health/live");
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.header("RateLimit")).isEmpty();
    }

    @Test
    void a_request_without_its_key_is_a_bad_one_and_not_counted_for_all_others() throws Exception {
        Reply bad = get("/api/one");
        assertThat(bad.statusCode()).isEqualTo(400);
        assertThat(problem(bad).get("detail").asText()).contains("X-Api-Key");
    }

    @Test
    void a_rule_with_several_limits_is_all_or_nothing() throws Exception {
        assertThat(header(get("/several"), "RateLimit"))
                .matches("\"several/one\";r=4;t=\\d+, \"several/two\";r=0;t=\\d+");
        for (int i = 0; i < 3; i++) {
            Reply rejected = get("/several");
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(problem(rejected).get("violated-policies")).hasToString("[\"several/two\"]");
            assertThat(time(rejected)).isLessThanOrEqualTo(retryAfter(rejected));
        }
    }

    @Test
    void a_request_that_fails_or_is_slow_is_charged_once() throws Exception {
        assertThat(header(get("/api/fails", "X-Api-Key", "f" + run), "RateLimit"))
                .matches("\"api\";r=1;t=\\d+");
        assertThat(header(get("/api/slow", "X-Api-Key", "s" + run), "RateLimit"))
                .matches("\"api\";r=1;t=\\d+");
    }

    @Test
    void status_headers_body_and_message_are_settings() throws Exception {
        Reply granted = call("GET", other, "/both?run=x" + run);
        assertThat(header(granted, "RateLimit")).startsWith("\"perMinute\";r=1");
        assertThat(header(granted, "X-RateLimit-Limit")).isEqualTo("2");
        assertThat(header(granted, "X-RateLimit-Remaining")).isEqualTo("1");
        assertThat(Long.parseLong(header(granted, "X-RateLimit-Reset"))).isBetween(1L, 60L);
        call("GET", other, "/both?run=x" + run);
        Reply rejected = call("GET", other, "/both?run=x" + run);
        assertThat(rejected.statusCode()).isEqualTo(420);
        assertThat(rejected.body()).isEqualTo("Slow down for " + retryAfter(rejected) + " seconds");
        assertThat(header(rejected, "Content-Type").toLowerCase(Locale.ROOT)).startsWith("text/plain");
        assertThat(header(rejected, "X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(header(rejected, "X-RateLimit-Reset")).isEqualTo(header(rejected, "Retry-After"));
    }

    protected final Reply get(String path, String... headers) throws Exception {
        return call("GET", usual, path(path), headers);
    }

    private String path(String path) {
        return path + "?run=" + run + name(path);
    }

    /** So that tests that call one path do not share permits. */
    private String name(String path) {
        return path.hashCode() + "-"
                + StackWalker.getInstance()
                        .walk(frames -> frames.map(StackWalker.StackFrame::getMethodName)
                                .filter(method -> method.contains("_"))
                                .findFirst()
                                .orElse(""))
                + invocation;
    }

    private int invocation;

    @BeforeEach
    void next() {
        invocation++;
    }

    /** The longest effective window. */
    private static long time(Reply response) {
        Matcher matcher = TIME.matcher(header(response, "RateLimit"));
        long longest = 0;
        while (matcher.find()) {
            longest = Math.max(longest, Long.parseLong(matcher.group(1)));
        }
        return longest;
    }
}
