package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimits;
import io.limiter.testing.Eventually;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The sample over HTTP: two instances on one Redis of their own. */
class SampleTest {

    /** With long timeouts for slow machines. */
    private static final String[] SETTINGS = {
        "--server.port=0",
        // What was taken is forgotten between tests, and rejections have to be, too.
        "--limiter.rejection-cache.size=0",
        "--limiter.on-failure=throw",
        "--limiter.failure.decision-timeout=2m"
    };

    private static final Duration FIVE_SECONDS = Duration.ofSeconds(5);
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static ConfigurableApplicationContext first;
    private static ConfigurableApplicationContext second;

    @BeforeAll
    static void start() {
        System.out.println("The sample runs on Spring Boot " + SpringBootVersion.getVersion());
        first = OwnRedis.start(SETTINGS);
        second = SampleApplication.application()
                .run(Stream.concat(Stream.of(SETTINGS), Stream.of("--sample.redis.port=" + OwnRedis.port(first)))
                        .toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        second.close();
        first.close();
    }

    /** Again, with nothing taken, if it has failed because it took longer than the period it counts in. */
    private static void within(Duration period, Scenario scenario) throws Exception {
        while (true) {
            long startNanos = System.nanoTime();
            try {
                scenario.run();
                return;
            } catch (AssertionError e) {
                if (System.nanoTime() - startNanos < period.toNanos()) {
                    throw e;
                }
                flush();
            }
        }
    }

    private interface Scenario {
        void run() throws Exception;
    }

    @BeforeEach
    void forget_what_was_taken() {
        flush();
    }

    private static void flush() {
        try (RedisConnection connection =
                first.getBean(RedisConnectionFactory.class).getConnection()) {
            connection.serverCommands().flushAll();
        }
    }

    @Test
    void runs_on_the_chosen_version_of_spring_boot() {
        assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("expected.boot.version"));
    }

    @Test
    void a_rejection_is_a_429_that_says_when_to_come_back() throws Exception {
        within(FIVE_SECONDS, () -> {
            assertThat(get(first, "/limiter/rate").statusCode()).isEqualTo(200);
            HttpResponse<String> rejected = get(first, "/limiter/rate");
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(retryAfter(rejected)).isBetween(1L, 5L);
            assertThat(rejected.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(rejected.body())
                    .contains("\"status\":429")
                    .contains("\"title\":\"Too Many Requests\"")
                    .contains("\"instance\":\"/limiter/rate\"");
        });
    }

    @Test
    void instances_share_the_limits() throws Exception {
        within(FIVE_SECONDS, () -> {
            assertThat(get(first, "/limiter/rate").statusCode()).isEqualTo(200);
            assertThat(get(second, "/limiter/rate").statusCode()).isEqualTo(429);
            assertThat(get(second, "/limiter/rate2").statusCode()).isEqualTo(200);
            assertThat(get(first, "/limiter/rate2").statusCode()).isEqualTo(429);
        });
    }

    @Test
    void a_call_without_its_key_is_rejected_and_not_counted_for_all_others() throws Exception {
        assertThat(get(first, "/limiter/count").statusCode()).isEqualTo(400);
        assertThat(get(first, "/limiter/count?key=").statusCode()).isEqualTo(400);
    }

    @Test
    void users_and_anonymous_ips_are_counted_apart() throws Exception {
        within(TEN_SECONDS, () -> {
            for (int i = 0; i < 3; i++) {
                assertThat(get(first, "/limiter/user?user=ann").statusCode()).isEqualTo(200);
                assertThat(get(first, "/limiter/user").statusCode()).isEqualTo(200);
                assertThat(get(first, "/limiter/ip").statusCode()).isEqualTo(200);
            }
            assertThat(get(second, "/limiter/user?user=ann").statusCode()).isEqualTo(429);
            assertThat(get(second, "/limiter/user?user=bob").statusCode()).isEqualTo(200);
            assertThat(get(second, "/limiter/user").statusCode()).isEqualTo(429);
            assertThat(get(second, "/limiter/ip").statusCode()).isEqualTo(429);
        });
    }

    @Test
    void a_code_is_sent_once_a_minute_to_a_number_by_form_or_json() throws Exception {
        assertThat(post(first, "application/x-www-form-urlencoded", "phone=0171")
                        .statusCode())
                .isEqualTo(200);
        HttpResponse<String> rejected = post(second, "application/json", "{\"phone\":\"0171\"}");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(retryAfter(rejected)).isBetween(1L, 60L);
        assertThat(rejected.body()).contains("less than a minute ago");
        assertThat(post(second, "application/json", "{\"phone\":\"0172\"}").statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_call_under_two_limits_is_rejected_by_either() throws Exception {
        LimiterFactory limiters = first.getBean(LimiterFactory.class);
        Limiter perMinute = limiters.with(LimiterOptions.NONE.withPrefix("countLimit:"))
                .build("per-minute", FixedWindow.of(5, Duration.ofMinutes(1)));
        RateLimiter perSecond =
                limiters.with(LimiterOptions.NONE.withPrefix("rateLimit:")).build("per-second", 1, 1, 60);
        assertThat(get(first, "/limiter/search?user=ann").statusCode()).isEqualTo(200);
        assertThat(perMinute.on("user:ann").peek().remaining()).isEqualTo(4);
        perMinute.on("user:ann").charge(4);
        assertThat(get(second, "/limiter/search?user=ann").statusCode()).isEqualTo(429);
        assertThat(get(second, "/limiter/search?user=bob").statusCode()).isEqualTo(200);
        perSecond.on("user:eve").charge(60);
        assertThat(get(first, "/limiter/search?user=eve").statusCode()).isEqualTo(429);
        assertThat(perMinute.on("user:eve").peek().remaining()).isEqualTo(5);
    }

    @Test
    void each_tenant_has_the_limit_of_its_plan() throws Exception {
        assertThat(get(first, "/tenants.html").body()).contains("tenants.js");
        for (String limit : new String[] {"acme 2", "globex 10", "initech 50", "unknown 1"}) {
            String[] parts = limit.split(" ");
            HttpResponse<String> granted = get(first, "/tenants/" + parts[0]);
            assertThat(granted.statusCode()).isEqualTo(200);
            assertThat(granted.headers().firstValue("RateLimit-Policy").orElseThrow())
                    .contains(";q=" + parts[1]);
        }
    }

    @Test
    void one_report_is_written_at_a_time() throws Exception {
        ConcurrencyLimiter reports = first.getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withPrefix("concurrentLimit:"))
                .build("report", ConcurrencyLimit.of(1).withLeaseTime(Duration.ofSeconds(10)));
        try (Lease elsewhere = reports.tryAcquire().orElseThrow()) {
            HttpResponse<String> rejected = get(second, "/limiter/report");
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(rejected.body()).contains("one at a time");
            assertThat(elsewhere.isHeld()).isTrue();
        }
        assertThat(get(second, "/limiter/report").statusCode()).isEqualTo(200);
    }

    @Test
    void a_quota_warns_once_before_it_rejects() throws Exception {
        assertThat(get(first, "/quotas.html").body()).contains("quotas.js");
        String customer = UUID.randomUUID().toString();
        for (int i = 0; i < 6; i++) {
            assertThat(report(i % 2 == 0 ? first : second, customer)).isEqualTo(200);
        }
        assertThat(report(first, customer)).as("1,050 of 1,000").isEqualTo(429);
        // One of them is told, on the thread of its listeners.
        Eventually.that(() -> assertThat(get(first, "/quotas/warnings").body()
                        + get(second, "/quotas/warnings").body())
                .containsOnlyOnce(customer)
                .contains("has used 900 of 1000"));
    }

    private static int report(ConfigurableApplicationContext instance, String customer) throws Exception {
        return post(instance, "/quotas/reports/" + customer + "?pages=150", "text/plain", "")
                .statusCode();
    }

    @Test
    void a_job_leaves_exports_to_people() throws Exception {
        String job = "/quotas/exports/background";
        int granted = 0;
        while (post(first, job, "text/plain", "").statusCode() == 200) {
            granted++;
        }
        assertThat(granted).isPositive();
        for (int i = 0; i < 4; i++) {
            assertThat(post(second, "/quotas/exports", "text/plain", "").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void an_answer_of_the_model_costs_the_tokens_that_it_names() throws Exception {
        HttpResponse<String> answer = get(first, "/quotas/model?question=Why?");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("\"total_tokens\":6");
        Eventually.that(
                () -> assertThat(get(second, "/quotas/model/left").body()).contains("\"used\":6,\"remaining\":194"));
    }

    @Test
    void what_callers_send_comes_back_as_text() throws Exception {
        assertThat(get(first, "/limiter/count?key=%3Cscript%3E").headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
    }

    @Test
    void the_page_is_there() throws Exception {
        assertThat(get(first, "/").body()).contains("Limiter sample");
    }

    @Test
    void the_console_changes_a_limit_of_both_instances() throws Exception {
        assertThat(get(first, "/limiter/").statusCode()).isEqualTo(401);
        HttpClient browser =
                HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
        assertThat(browser.send(console("").build(), BodyHandlers.ofString()).body())
                .contains("Limiter console");
        String token = browser.send(console("api/csrf").build(), BodyHandlers.ofString())
                .body();
        HttpRequest change = console("api/limits")
                .header("X-CSRF-TOKEN", token.replaceAll("(?s).*\"token\" *: *\"([^\"]+)\".*", "$1"))
                .header("Content-Type", "application/json")
                .header("X-Limiter-Console", "1")
                .POST(BodyPublishers.ofString(
                        "{\"name\":\"log\",\"settings\":{\"kind\":\"sliding-log\",\"limit\":1,\"period\":3600},"
                                + "\"why\":\"too much\",\"expectedVersion\":0}"))
                .build();
        HttpResponse<String> changed = browser.send(change, BodyHandlers.ofString());
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        LiveLimits there = second.getBean(LiveLimits.class);
        Eventually.that(() -> assertThat(there.get("log")).isPresent());
        assertThat(get(first, "/limiter/log").statusCode()).isEqualTo(200);
        assertThat(get(second, "/limiter/log").statusCode()).isEqualTo(429);
        there.remove(
                "log", ChangeNote.of("ann", ""), there.get("log").orElseThrow().version());
        LiveLimits here = first.getBean(LiveLimits.class);
        Eventually.that(() -> assertThat(here.get("log")).isEmpty());
    }

    /** A request of the operator, whose password the sample prints. */
    private static HttpRequest.Builder console(String path) {
        String login = "operator:" + first.getEnvironment().getRequiredProperty("sample.console.password");
        return HttpRequest.newBuilder(uri(first, "/limiter/" + path))
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void traffic_starts_and_stops() throws Exception {
        HttpRequest.Builder traffic = HttpRequest.newBuilder(uri(first, "/traffic"));
        HTTP.send(traffic.POST(BodyPublishers.noBody()).build(), BodyHandlers.discarding());
        LimiterFactory limiters = first.getBean(LimiterFactory.class);
        try {
            Eventually.that(() -> assertThat(limiters.statistics().totals()).anySatisfy(limit -> {
                assertThat(limit.prefix()).isEqualTo("traffic:");
                assertThat(limit.granted()).isPositive();
            }));
        } finally {
            String stopped =
                    HTTP.send(traffic.DELETE().build(), BodyHandlers.ofString()).body();
            assertThat(stopped).isEqualTo("{\"secondsLeft\":0}");
        }
    }

    private static long retryAfter(HttpResponse<String> response) {
        return response.headers().firstValueAsLong("Retry-After").orElseThrow();
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext instance, String path)
            throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(uri(instance, path)).build(), BodyHandlers.ofString());
    }

    private static HttpResponse<String> post(ConfigurableApplicationContext instance, String type, String body)
            throws IOException, InterruptedException {
        return post(instance, "/sms/code", type, body);
    }

    private static HttpResponse<String> post(
            ConfigurableApplicationContext instance, String path, String type, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri(instance, path))
                .header("Content-Type", type)
                .POST(BodyPublishers.ofString(body))
                .build();
        return HTTP.send(request, BodyHandlers.ofString());
    }

    private static URI uri(ConfigurableApplicationContext instance, String path) {
        return URI.create("http://localhost:" + instance.getEnvironment().getProperty("local.server.port") + path);
    }
}
