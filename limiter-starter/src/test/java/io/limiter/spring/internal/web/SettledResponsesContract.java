package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.internal.aop.AnnotationLimitAdvisor;
import io.limiter.spring.internal.metrics.CallCounts;
import io.limiter.testing.Eventually;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Requests that are charged what their responses say that they have cost: the same for servlets and for WebFlux. */
public abstract class SettledResponsesContract extends ServerContract {

    /** The usage is in the last event but one, which has no text, and null in the others. */
    protected static final List<String> OPENAI = List.of(
            "{\"choices\":[{\"delta\":{\"content\":\"Grüße\"}}],\"usage\":null}",
            "{\"choices\":[{\"delta\":{\"content\":\"\\\"usage\\\":{\\\"total_tokens\\\":1}\"}}],\"usage\":null}",
            "{\"choices\":[],\"usage\":{\"prompt_tokens\":20,\"completion_tokens\":22,\"total_tokens\":42}}",
            "[DONE]");

    /** The usage is in two events, of which the first one also has the output so far. */
    protected static final List<String> ANTHROPIC = List.of(
            "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}",
            "{\"type\":\"content_block_delta\",\"delta\":{\"text\":\"data: {\\\"usage\\\":{\\\"output_tokens\\\":1}}\\n\\n\"}}",
            "{\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":15}}",
            "{\"type\":\"message_stop\"}");

    private static final String JSON = "{\"text\":\"%s\",\"usage\":{\"total_tokens\":%s}}";

    /** Opened once the caller has the first event of the stream that waits for it. */
    private static volatile CountDownLatch received = new CountDownLatch(1);

    private static final int LIMIT = 1000;

    private ConfigurableApplicationContext server;
    private String who;

    @BeforeAll
    void open() {
        server = start(
                "server.compression.enabled=true",
                "server.compression.min-response-size=1",
                "server.compression.mime-types=application/json");
    }

    @BeforeEach
    void other() {
        who = UUID.randomUUID().toString();
        received = new CountDownLatch(1);
    }

    @Override
    protected List<String> settings() {
        List<String> settings = new ArrayList<>(recipe());
        settings.addAll(List.of(
                "http.tokens.path=/model/**",
                "http.tokens.key=#{param('who')}",
                "http.tokens.cost=#{number(param('estimate')) / 2.0}",
                "http.tokens.settle[0]=response-header:X-Usage-Tokens",
                "http.tokens.settle[1]=response-json:/usage/total_tokens",
                "http.tokens.settle[2]=response-json:/message/usage/input_tokens+/usage/output_tokens",
                "http.tokens.limits.one.limit=" + LIMIT,
                "http.tokens.limits.one.per=1h",
                "http.requests.path=/model/**",
                "http.requests.key=#{param('who')}",
                "http.requests.limits.one.limit=3",
                "http.requests.limits.one.per=1h",
                "http.successes.path=/model/**",
                "http.successes.key=#{param('who')}",
                "http.successes.cost=10",
                "http.successes.charge-on=success",
                "http.successes.settle=response-json:/usage/total_tokens",
                "http.successes.enforce=false",
                "http.successes.limits.one.limit=" + LIMIT,
                "http.successes.limits.one.per=1h"));
        return settings;
    }

    /** The rules of the page, as they are written there. */
    private static List<String> recipe() {
        try {
            return Files.readAllLines(Path.of("../docs/recipes.md")).stream()
                    .filter(line -> line.startsWith("limiter.http.model-"))
                    .map(line -> line.substring("limiter.".length()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Two models and a caller that leaves the second one, who is charged for the estimate. */
    @Test
    void the_recipe_of_the_page_has_the_account_right() throws Exception {
        String[] caller = {"X-Api-Key", who};
        long before = calls().countUnsettled("model-tokens");
        Reply first = call("GET", server, "/v1/chat/completions", caller);
        assertThat(header(first, "RateLimit")).contains("\"model-requests\";r=59;");
        assertModelTokens(42);
        assertThat(call("GET", server, "/v1/messages", caller).statusCode()).isEqualTo(200);
        assertModelTokens(42 + 40);
        HttpResponse<InputStream> left = send("/v1/endless", caller).join();
        String limits = left.headers().firstValue("RateLimit").orElseThrow();
        int remaining = Integer.parseInt(limits.replaceAll(".*\"model-tokens\";r=(\\d+).*", "$1"));
        // Some clients send a length of 0.
        assertThat(1_000_000 - remaining).isIn(42 + 40 + 1000, 42 + 40 + 2000);
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(left.body(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).isEqualTo("data:" + ANTHROPIC.get(0));
        }
        Eventually.that(() -> assertThat(calls().countUnsettled("model-tokens")).isEqualTo(before + 1));
        assertModelTokens(1_000_000 - remaining);
    }

    private void assertModelTokens(int expected) {
        Eventually.that(() ->
                assertThat(used("model-tokens", 1_000_000, Duration.ofDays(1))).isEqualTo(expected));
    }

    private CallCounts calls() {
        return server.getBean(AnnotationLimitAdvisor.class).callCounts();
    }

    protected final Reply get(String path, String... headers) throws Exception {
        return call("GET", server, path(path), headers);
    }

    private String path(String path) {
        return path + (path.contains("?") ? "&" : "?") + "estimate=99&who=" + who;
    }

    private long used(String rule, int limit) {
        return used(rule, limit, Duration.ofHours(1));
    }

    private long used(String rule, int limit, Duration period) {
        LimiterFactory limiters =
                server.getBean(LimiterFactory.class).with(LimiterOptions.NONE.withPrefix("httpLimit:"));
        return limit
                - limiters.build(rule, FixedWindow.of(limit, period))
                        .on(who)
                        .peek()
                        .remaining();
    }

    /** The caller does not wait for it. */
    protected final void assertTokens(int expected) {
        Eventually.that(() -> assertThat(used("tokens", LIMIT)).isEqualTo(expected));
    }

    /** Of the rule in shadow mode that charges successes alone. */
    protected final void assertSuccesses(int expected) {
        Eventually.that(() -> assertThat(used("successes", LIMIT)).isEqualTo(expected));
    }

    /** Half of 99, rounded up. */
    protected final void assertEstimate(long unsettledBefore) {
        Eventually.that(() -> assertThat(unsettled()).isEqualTo(unsettledBefore + 1));
        assertThat(used("tokens", LIMIT)).isEqualTo(50);
    }

    protected final long unsettled() {
        return calls().countUnsettled("tokens");
    }

    @ParameterizedTest
    @CsvSource({
        "/model/json?total=7, 7",
        "/model/later?total=700, 700",
        "/model/json?total=0, 0",
        "/model/json?total=6.5, 7"
    })
    void a_json_body_says_the_cost(String path, int tokens) throws Exception {
        long before = unsettled();
        Reply reply = get(path);
        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.body()).isEqualTo(JSON, "Grüße", path.replaceAll(".*=", ""));
        assertThat(header(reply, "RateLimit")).contains("\"tokens\";r=950;");
        assertTokens(tokens);
        assertThat(unsettled()).isEqualTo(before);
        assertThat(used("requests", 3)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"openai, 42", "anthropic, 40"})
    void an_event_stream_says_the_cost(String provider, int tokens) throws Exception {
        Reply reply = get("/model/" + provider);
        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.body()).contains("data:" + (provider.equals("openai") ? OPENAI : ANTHROPIC).get(0));
        assertTokens(tokens);
    }

    @Test
    void a_header_says_the_cost() throws Exception {
        assertThat(get("/model/header?total=12").statusCode()).isEqualTo(200);
        assertTokens(12);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/model/json?total=-1",
                "/model/json?total=null",
                "/model/text?total=7",
                "/model/empty",
                "/model/compressed"
            })
    void without_a_number_the_estimate_stays_and_is_counted(String path) throws Exception {
        long before = unsettled();
        assertThat(get(path, "Accept-Encoding", "gzip").statusCode()).isBetween(200, 299);
        assertEstimate(before);
    }

    @Test
    void an_error_leaves_the_estimate_unless_successes_alone_are_charged() throws Exception {
        long before = unsettled();
        assertThat(get("/model/error").statusCode()).isEqualTo(503);
        assertEstimate(before);
        assertSuccesses(0);
    }

    @Test
    void a_handler_that_fails_leaves_the_estimate() throws Exception {
        long before = unsettled();
        assertThat(get("/model/fails").statusCode()).isEqualTo(500);
        assertEstimate(before);
        assertSuccesses(0);
    }

    @Test
    void rules_in_shadow_mode_are_settled_too() throws Exception {
        get("/model/json?total=300");
        assertSuccesses(300);
    }

    @Test
    void a_request_takes_at_least_one() throws Exception {
        assertThat(header(call("GET", server, "/model/json?total=7&estimate=0&who=" + who), "RateLimit"))
                .contains("\"tokens\";r=999;");
        assertTokens(7);
    }

    @Test
    void debts_reject_later_requests_and_a_rejection_costs_nothing() throws Exception {
        long before = unsettled();
        get("/model/json?total=5000");
        assertTokens(LIMIT);
        Reply rejected = get("/model/json?total=1");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(problem(rejected).get("violated-policies")).hasToString("[\"tokens\"]");
        assertThat(used("requests", 3)).isEqualTo(1);
        who = UUID.randomUUID().toString();
        for (int i = 0; i < 3; i++) {
            get("/model/json?total=1");
        }
        assertTokens(3);
        assertThat(get("/model/json?total=1").statusCode()).isEqualTo(429);
        assertThat(used("tokens", LIMIT)).isEqualTo(3);
        assertThat(unsettled()).isEqualTo(before);
    }

    @Test
    void the_handler_is_asked_for_no_compression() throws Exception {
        assertThat(get("/model/accepts", "Accept-Encoding", "gzip, br").body()).isEqualTo("identity");
        assertThat(get("/model/accepts").body()).isEqualTo("identity");
        assertThat(get("/other/accepts", "Accept-Encoding", "gzip, br").body()).isEqualTo("gzip, br");
    }

    @Test
    void the_server_may_compress_what_was_read() throws Exception {
        Reply reply = get("/model/json?total=7", "Accept-Encoding", "gzip");
        assertThat(reply.header("Content-Encoding")).hasValue("gzip");
        assertTokens(7);
    }

    @Test
    void the_body_passes_event_by_event() throws Exception {
        HttpResponse<InputStream> response = open("/model/flushed");
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).isEqualTo("data:" + ANTHROPIC.get(0));
            assertThat(used("tokens", LIMIT)).isEqualTo(50);
            received.countDown();
            assertThat(lines.lines().toList()).contains("data:" + ANTHROPIC.get(3));
        }
        assertTokens(40);
    }

    @Test
    void a_caller_that_leaves_stays_charged_for_the_estimate() throws Exception {
        long before = unsettled();
        HttpResponse<InputStream> response = open("/model/endless");
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).isEqualTo("data:" + ANTHROPIC.get(0));
        }
        assertEstimate(before);
    }

    private HttpResponse<InputStream> open(String path) {
        return send(path).join();
    }

    /** Closing the stream, or cancelling the future, closes the connection. */
    protected final CompletableFuture<HttpResponse<InputStream>> send(String path, String... headers) {
        URI uri = URI.create(
                "http://127.0.0.1:" + server.getEnvironment().getRequiredProperty("local.server.port") + path(path));
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(Duration.ofMinutes(1));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .sendAsync(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    protected static byte[] body(String total) {
        return JSON.formatted("Grüße", total).getBytes(StandardCharsets.UTF_8);
    }

    protected static byte[] gzip(byte[] body) {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return compressed.toByteArray();
    }

    protected static void awaitReceived() {
        try {
            assertThat(received.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
