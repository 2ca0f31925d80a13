package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** A part of {@link ConsoleContract}: what a browser sends to the applications of the test, and what it gets back. */
abstract class ConsoleRequests {

    static final ObjectMapper MAPPER = new ObjectMapper();
    static final String PUT = "{\"name\":\"search\",\"settings\":{\"kind\":\"token-bucket\",\"rate\":20},"
            + "\"why\":\"slow\",\"expiresSeconds\":1800,\"expectedVersion\":0}";

    static final String BAN = "{\"name\":\"search\",\"key\":{\"value\":\"tenant-42\",\"hashed\":false},"
            + "\"settings\":{\"access\":\"BANNED\"},\"why\":\"scraping\",\"expiresSeconds\":1800,\"expectedVersion\":0}";

    static final String KEY = "/api/key?prefix=countLimit:&name=login&key=";

    static final Instant REJECTED = Instant.ofEpochMilli(1_700_000_000_000L);

    ConsoleContract applications;
    ConfigurableApplicationContext server;
    HttpClient http;
    Csrf csrf;
    String port;
    String root;

    @RegisterExtension
    final BeforeEachCallback findApplications = context -> {
        applications = context.getRequiredTestInstances()
                .findInstance(ConsoleContract.class)
                .orElseThrow();
        server = applications.server();
        limits(server).clear();
        server.getBean(LimiterFactory.class).build("search", TokenBucket.perSecond(50));
    };

    record Csrf(String header, String token) {}

    interface Check {
        void run() throws Exception;
    }

    @BeforeEach
    void reset() {
        http = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
        csrf = null;
        port = "local.server.port";
        root = "/ops/limiter";
    }

    static FakeLiveLimits limits(ConfigurableApplicationContext context) {
        return context.getBean(FakeLiveLimits.class);
    }

    final URI uri(String path) {
        return URI.create("http://localhost:" + server.getEnvironment().getProperty(port) + root + path);
    }

    final HttpRequest.Builder request(String path, String user) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        return user.isEmpty() ? request : request.header("Authorization", login(user));
    }

    static String login(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
    }

    final HttpResponse<String> get(String path, String user) throws Exception {
        return http.send(request(path, user).build(), BodyHandlers.ofString());
    }

    final JsonNode json(String path, String user) throws Exception {
        HttpResponse<String> answer = get(path, user);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return MAPPER.readTree(answer.body());
    }

    /** As the page does it. */
    final HttpRequest.Builder write(String path, String user, String body) throws Exception {
        if (csrf == null) {
            JsonNode token = json("/api/csrf", "operator").get("csrf");
            csrf = new Csrf(token.get("header").asText(), token.get("token").asText());
        }
        return request(path, user)
                .header("Content-Type", "application/json")
                .header("X-Limiter-Console", "1")
                .header("Sec-Fetch-Site", "same-origin")
                .header(csrf.header(), csrf.token())
                .POST(BodyPublishers.ofString(body));
    }

    final HttpResponse<String> post(String path, String user, String body) throws Exception {
        return http.send(write(path, user, body).build(), BodyHandlers.ofString());
    }

    /** Sends what the check sends to another application than usual. */
    final void on(ConfigurableApplicationContext other, Check check) throws Exception {
        ConfigurableApplicationContext usual = server;
        server = other;
        try {
            check.run();
        } finally {
            server = usual;
        }
    }

    static InstanceReport report(String text) {
        return InstanceReport.of(
                "shop:8080",
                Instant.now(),
                0,
                "available",
                List.of(LimitReport.of(
                        "rateLimit:",
                        text,
                        text,
                        "token-bucket",
                        text,
                        LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(1),
                        5,
                        2,
                        0,
                        0,
                        Duration.ZERO,
                        Map.of(),
                        List.of(LimitReport.HotKey.of(text, 7)),
                        List.of(LimitReport.RejectedKey.of(text, 2, List.of(REJECTED))),
                        text,
                        Map.of())),
                List.of());
    }

    /** The stream that a page reads. */
    final class Events implements AutoCloseable {

        private final BufferedReader lines;

        Events(String user) throws IOException, InterruptedException {
            HttpResponse<InputStream> answer =
                    http.send(request("/api/fleet", user).build(), BodyHandlers.ofInputStream());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type"))
                    .hasValueSatisfying(contentType -> assertThat(contentType).startsWith("text/event-stream"));
            assertThat(answer.headers().firstValue("Cache-Control").orElseThrow())
                    .contains("no-store");
            lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
        }

        JsonNode next() throws IOException {
            String line = lines.readLine();
            while (!line.startsWith("data:")) {
                line = lines.readLine();
            }
            return MAPPER.readTree(line.substring("data:".length()));
        }

        @Override
        public void close() throws IOException {
            lines.close();
        }
    }
}
