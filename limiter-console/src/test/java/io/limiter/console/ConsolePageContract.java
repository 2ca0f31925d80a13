package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;

/** Where the page is served, which files it loads, and the stream of reports that it reads. */
abstract class ConsolePageContract extends ConsoleRequests {

    private static final String HOSTILE = "</script><img src=x onerror=alert(1)>\"'\n/\u2028../%2e";

    @Test
    void it_is_served_below_a_context_path() throws Exception {
        String property = applications.type() == WebApplicationType.SERVLET
                ? "server.servlet.context-path"
                : "spring.webflux.base-path";
        on(
                applications.start(
                        applications.application(),
                        "--limiter.console.read-authorities=ROLE_viewer",
                        "--" + property + "=/shop"),
                () -> {
                    assertThat(at("local.server.port", "/shop/ops/limiter/")).isEqualTo(200);
                    assertThat(at("local.server.port", "/shop/ops/limiter/assets/main.js"))
                            .isEqualTo(200);
                    assertThat(at("local.server.port", "/ops/limiter/")).isEqualTo(404);
                });
    }

    @Test
    void it_is_served_on_the_management_port_if_there_is_one() throws Exception {
        on(
                applications.start(
                        applications.application(),
                        "--limiter.console.read-authorities=ROLE_viewer",
                        "--limiter.console.write-authorities=ROLE_operator",
                        // Spring Boot 4 has a bean for each reactive server, and the tests have two of these.
                        "--spring.main.allow-bean-definition-overriding=true",
                        "--management.server.port=0",
                        "--management.server.base-path=/manage"),
                () -> {
                    assertThat(at("local.management.port", "/manage/ops/limiter/"))
                            .isEqualTo(200);
                    assertThat(at("local.management.port", "/manage/ops/limiter/api/history"))
                            .isEqualTo(200);
                    assertThat(at("local.server.port", "/ops/limiter/")).isEqualTo(404);
                    port = "local.management.port";
                    root = "/manage/ops/limiter";
                    assertThat(post("/api/limits", "operator", PUT).statusCode())
                            .isEqualTo(200);
                    assertThat(post("/api/limits", "viewer", PUT).statusCode()).isEqualTo(403);
                    assertThat(get("/api/limits", "").statusCode()).isEqualTo(401);
                    limits(server).reports(() -> List.of(report("search")));
                    try (Events events = new Events("viewer")) {
                        assertThat(events.next().at("/limits/0/name").asText()).isEqualTo("search");
                    }
                });
    }

    private int at(String portProperty, String path) throws Exception {
        URI uri = URI.create("http://localhost:" + server.getEnvironment().getProperty(portProperty) + path);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Authorization", login("viewer"))
                .build();
        return http.send(request, BodyHandlers.ofString()).statusCode();
    }

    @Test
    void the_page_loads_only_files_of_the_console() throws Exception {
        HttpResponse<String> start = get("", "viewer");
        assertThat(start.statusCode()).isEqualTo(302);
        assertThat(start.headers().firstValue("Location")).hasValue("limiter/");
        HttpResponse<String> page = get("/", "viewer");
        assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html;charset=UTF-8");
        assertStrict(page);
        assertThat(page.body()).doesNotContainPattern("<script(?![^>]* src=)|<style|\\son[a-z]+=|style=|javascript:");
        List<String> links = Pattern.compile("(?:src|href)=\"([^\"#]+)\"")
                .matcher(page.body())
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(links).contains("assets/main.js", "assets/chart.js").allMatch(link -> link.startsWith("assets/"));
        for (String link : links) {
            assertStrict(get("/" + link, "viewer"));
        }
        followImports("main.js", new ArrayList<>());
    }

    private void followImports(String file, List<String> seen) throws Exception {
        if (seen.contains(file)) {
            return;
        }
        seen.add(file);
        HttpResponse<String> script = get("/assets/" + file, "viewer");
        assertThat(script.statusCode()).as(file).isEqualTo(200);
        assertThat(script.headers().firstValue("Content-Type")).hasValue("text/javascript;charset=UTF-8");
        assertThat(script.body()).doesNotContain("innerHTML", "insertAdjacentHTML", "document.write", "eval(");
        for (MatchResult each : Pattern.compile("from '\\./([^']+)'")
                .matcher(script.body())
                .results()
                .toList()) {
            followImports(each.group(1), seen);
        }
    }

    private static void assertStrict(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.uri().toString()).isEqualTo(200);
        assertThat(answer.headers().allValues("Content-Security-Policy"))
                .singleElement()
                .asString()
                .startsWith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
                .doesNotContain("unsafe");
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(answer.headers().allValues("X-Frame-Options")).containsExactly("DENY");
    }

    @Test
    void a_known_file_is_not_sent_again() throws Exception {
        String tag =
                get("/assets/chart.js", "viewer").headers().firstValue("ETag").orElseThrow();
        HttpRequest request = request("/assets/chart.js", "viewer")
                .header("If-None-Match", tag)
                .build();
        HttpResponse<String> again = http.send(request, BodyHandlers.ofString());
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nothing.js", "index.html", "Console.class", "..%2f..%2fapplication.properties"})
    void no_other_file_is_served(String name) throws Exception {
        assertThat(get("/assets/" + name, "viewer").statusCode()).isIn(400, 404);
    }

    @Test
    void hostile_text_comes_back_as_it_was() throws Exception {
        String quoted = MAPPER.writeValueAsString(HOSTILE);
        HttpResponse<String> put = post(
                "/api/limits",
                "operator",
                "{\"name\":%s,\"settings\":{\"kind\":\"token-bucket\",\"enforce\":false},\"why\":%s,\"expectedVersion\":0}"
                        .formatted(quoted, quoted));
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        assertThat(put.headers().firstValue("Content-Type")).hasValue("application/json");
        JsonNode change = json("/api/history", "viewer").at("/changes/0");
        assertThat(change.get("name").asText()).isEqualTo(HOSTILE);
        assertThat(change.get("why").asText()).isEqualTo(HOSTILE);
        limits(server).reports(() -> List.of(report(HOSTILE)));
        try (Events events = new Events("viewer")) {
            JsonNode fleet = events.next();
            assertThat(fleet.at("/limits/0/name").asText()).isEqualTo(HOSTILE);
            assertThat(fleet.at("/limits/0/hottest/0/key").asText()).isEqualTo(HOSTILE);
        }
    }

    @Test
    void open_pages_share_what_the_fleet_reports() throws Exception {
        limits(server).reports(() -> List.of(report("search")));
        try (Events one = new Events("viewer");
                Events other = new Events("viewer")) {
            JsonNode first = one.next();
            assertThat(first.get("series").isArray()).isTrue();
            assertThat(first.at("/instances/0/name").asText()).isEqualTo("shop:8080");
            assertThat(one.next().get("series").isNull()).isTrue();
            assertThat(other.next().get("series").isArray()).isTrue();
        }
    }
}
