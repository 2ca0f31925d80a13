package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Who may read and who may write, and which requests could be those of another site. */
abstract class ConsoleAccessContract extends ConsoleRequests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/assets/main.js",
                "/api/session",
                "/api/limits",
                "/api/keys",
                KEY + "ann",
                "/api/history",
                "/api/fleet"
            })
    void reading_needs_a_login_and_an_authority(String path) throws Exception {
        assertThat(get(path, "").statusCode()).isEqualTo(401);
        assertThat(get(path, "ann").statusCode()).isEqualTo(403);
        assertThat(get(path, "ann").body()).contains("limiter.console.read-authorities");
        for (String user : List.of("viewer", "operator")) {
            HttpResponse<InputStream> answer = http.send(request(path, user).build(), BodyHandlers.ofInputStream());
            try (InputStream body = answer.body()) {
                assertThat(body).isNotNull();
                assertThat(answer.statusCode()).isEqualTo(200);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"/api/limits", "/api/limits/remove", "/api/limits/roll-back", "/api/keys/reset"})
    void writing_needs_a_login_and_an_authority(String path) throws Exception {
        assertThat(post(path, "", PUT).statusCode()).isEqualTo(401);
        assertThat(post(path, "ann", PUT).statusCode()).isEqualTo(403);
        HttpResponse<String> answer = post(path, "viewer", PUT);
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("limiter.console.write-authorities", "you have none of them");
        assertThat(limits(server).list()).isEmpty();
    }

    @Test
    void the_page_knows_who_may_write() throws Exception {
        assertThat(json("/api/session", "viewer").get("write").asBoolean()).isFalse();
        assertThat(json("/api/session", "operator").get("write").asBoolean()).isTrue();
        assertThat(get("/api/csrf", "viewer").statusCode()).isEqualTo(403);
    }

    /** A login is no authority: Spring Boot's chain lets whoever has logged in call everything. */
    @Test
    void a_user_of_spring_boots_default_chain_reads_and_writes_nothing() throws Exception {
        on(
                applications.start(
                        applications.defaultApplication(),
                        "--spring.autoconfigure.exclude=",
                        "--spring.security.user.name=ann",
                        "--spring.security.user.password=secret"),
                () -> {
                    HttpResponse<String> page = get("/", "ann");
                    assertThat(page.statusCode()).isEqualTo(403);
                    assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html;charset=UTF-8");
                    assertThat(page.body())
                            .contains("limiter.console.read-authorities", "limiter.console.write-authorities")
                            .contains("none is set");
                    assertThat(get("/api/csrf", "ann").statusCode()).isEqualTo(403);
                    csrf = new Csrf("X-CSRF-TOKEN", tokenOfLoginPage());
                    HttpResponse<String> answer = post("/api/limits", "ann", PUT);
                    assertThat(answer.statusCode()).isEqualTo(403);
                    assertThat(answer.body()).contains("limiter.console.write-authorities", "none is set");
                    assertThat(limits(server).list()).isEmpty();
                });
    }

    private String tokenOfLoginPage() throws Exception {
        root = "";
        String page = get("/login", "").body();
        root = "/ops/limiter";
        return Pattern.compile("name=\"_csrf\"[^>]* value=\"([^\"]+)\"")
                .matcher(page)
                .results()
                .findFirst()
                .orElseThrow(() -> new AssertionError(page))
                .group(1);
    }

    /** A site that has its own name lead to this machine is the same origin to a browser. */
    @ParameterizedTest
    @CsvSource({
        "localhost, 200",
        "LOCALHOST:8080, 200",
        "shop.localhost, 200",
        "127.0.0.1:8080, 200",
        "[::1]:8080, 200",
        "evil.example, 403",
        "127.0.0.1.evil.example, 403",
        "localhost.evil.example:8080, 403",
        "10.0.0.1, 403"
    })
    void without_a_login_only_a_loopback_host_is_answered(String host, int status) throws Exception {
        on(applications.unsecured("none"), () -> {
            assertThat(raw("GET", host, "", "")).isEqualTo(status);
            assertThat(raw("GET", host, "X-Forwarded-Host: localhost\r\n", "")).isEqualTo(403);
        });
    }

    /** A proxy on this machine sends such headers; by default nginx sends nothing but the last of them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Forwarded-For: 127.0.0.1",
                "X-Forwarded-Proto: http",
                "x-forwarded-prefix: /shop",
                "Forwarded: for=127.0.0.1",
                "Via: 1.1 proxy",
                "X-Real-IP: 127.0.0.1",
                "Connection: close"
            })
    void without_a_login_nothing_that_a_proxy_has_passed_on_is_answered(String header) throws Exception {
        String other = applications.hidingStrategy().equals("native") ? "framework" : "native";
        for (ConfigurableApplicationContext application :
                List.of(applications.unsecured("none"), applications.unsecured(other))) {
            on(application, () -> {
                assertThat(raw("GET", "localhost", "", "")).isEqualTo(200);
                assertThat(raw("GET", "localhost", header + "\r\n", "")).isEqualTo(403);
            });
        }
    }

    @Test
    void without_a_login_nothing_is_answered_where_forwarded_headers_hide_the_address() throws Exception {
        on(applications.unsecured(applications.hidingStrategy()), () -> {
            assertThat(raw("GET", "localhost", "X-Forwarded-For: 127.0.0.1\r\n", ""))
                    .isEqualTo(403);
            assertThat(get("/api/limits", "").body()).contains("server.forward-headers-strategy=");
        });
    }

    @Test
    void without_a_login_nobody_writes() throws Exception {
        on(applications.unsecured("none"), () -> {
            assertThat(raw(
                            "POST",
                            "localhost",
                            "Sec-Fetch-Site: same-origin\r\nOrigin: http://localhost\r\nX-Limiter-Console: 1\r\n"
                                    + "Content-Type: application/json\r\nContent-Length: " + PUT.length() + "\r\n",
                            PUT))
                    .isEqualTo(403);
            assertThat(limits(server).list()).isEmpty();
        });
    }

    /** The status of the answer. The connection is kept, because a client that closes it looks like a proxy. */
    private int raw(String method, String host, String headers, String body) throws IOException {
        int port = Integer.parseInt(server.getEnvironment().getRequiredProperty("local.server.port"));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String request =
                    method + " /ops/limiter/api/limits HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\n" + body;
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            BufferedReader answer =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            return Integer.parseInt(answer.readLine().split(" ", 3)[1]);
        }
    }

    @Test
    void allow_unsecured_alone_lets_no_user_write() throws Exception {
        on(applications.start(applications.openApplication(), "--limiter.console.allow-unsecured=true"), () -> {
            assertThat(json("/api/session", "").get("write").asBoolean()).isFalse();
            csrf = new Csrf("X-CSRF-TOKEN", "any");
            HttpResponse<String> answer = post("/api/limits", "", PUT);
            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(answer.body()).contains("limiter.console.write-authorities", "none is set");
            assertThat(limits(server).list()).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/assets/main.js", "/api/session", "/api/limits", KEY + "ann", "/api/history"})
    void reading_makes_no_session(String path) throws Exception {
        assertThat(get(path, "operator").headers().map()).doesNotContainKey("set-cookie");
    }

    @Test
    void a_write_without_the_csrf_token_is_rejected() throws Exception {
        HttpRequest request = request("/api/limits", "operator")
                .header("Content-Type", "application/json")
                .header("X-Limiter-Console", "1")
                .POST(BodyPublishers.ofString(PUT))
                .build();
        assertThat(http.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(403);
        assertThat(limits(server).list()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "X-Limiter-Console, '', 403",
        "X-Limiter-Console, 2, 400",
        "Content-Type, application/x-www-form-urlencoded, 415",
        "Content-Type, text/plain, 415",
        "Sec-Fetch-Site, same-site, 403",
        "Sec-Fetch-Site, cross-site, 403"
    })
    void a_write_that_a_form_or_another_site_or_a_page_of_another_version_could_send_is_rejected(
            String header, String value, int status) throws Exception {
        HttpRequest.Builder request = write("/api/limits", "operator", PUT);
        if (value.isEmpty()) {
            HttpRequest all = request.build();
            request = HttpRequest.newBuilder(all, (name, any) -> !name.equalsIgnoreCase(header));
        } else {
            request.setHeader(header, value);
        }
        HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(limits(server).list()).isEmpty();
    }
}
