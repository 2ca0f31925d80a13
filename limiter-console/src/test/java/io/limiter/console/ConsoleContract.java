package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.BannedKey;
import io.limiter.live.ChangeNote;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.CookieManager;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The console over HTTP, with Spring Security and CSRF tokens: the same for servlets and for WebFlux. Everybody may log in: viewer
 * may read, support may also change single keys, operator may also write, and ann may do none of these. The application has a prefix for its controllers, and an advice
 * that replaces what they answer.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ConsoleContract {

    static final String HOSTILE = "</script><img src=x onerror=alert(1)>\"'\n/\u2028../%2e";

    private static final Instant REJECTED = Instant.ofEpochMilli(1_700_000_000_000L);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String KEY = "/api/key?prefix=countLimit:&name=login&key=";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String PUT = "{\"name\":\"search\",\"settings\":{\"kind\":\"token-bucket\",\"rate\":20},"
            + "\"why\":\"slow\",\"expiresSeconds\":1800,\"expectedVersion\":0}";

    private static final String BAN = "{\"name\":\"search\",\"key\":{\"value\":\"tenant-42\",\"hashed\":false},"
            + "\"settings\":{\"access\":\"BANNED\"},\"why\":\"scraping\",\"expiresSeconds\":1800,\"expectedVersion\":0}";

    private final List<ConfigurableApplicationContext> started = new ArrayList<>();
    private ConfigurableApplicationContext server;
    private HttpClient http;
    private Csrf csrf;
    private String port;
    private String root;

    private record Csrf(String header, String token) {}

    abstract WebApplicationType type();

    abstract Class<?> application();

    /** Has no security of its own, so that Spring Boot's holds. */
    abstract Class<?> defaultApplication();

    /** Permits all without a login, and wants no CSRF token. */
    abstract Class<?> openApplication();

    @BeforeAll
    void open() {
        server = start(
                application(),
                "--limiter.console.read-authorities=ROLE_viewer",
                "--limiter.console.key-authorities=ROLE_support",
                "--limiter.console.write-authorities=ROLE_operator");
    }

    @AfterAll
    void close() {
        started.forEach(ConfigurableApplicationContext::close);
    }

    @BeforeEach
    void anew() {
        http = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
        csrf = null;
        port = "local.server.port";
        root = "/ops/limiter";
        limits(server).clear();
    }

    private ConfigurableApplicationContext start(Class<?> application, String... more) {
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(type());
        List<String> settings = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--limiter.type=local",
                "--limiter.console.enabled=true",
                "--limiter.console.path=/ops/limiter"));
        settings.addAll(List.of(more));
        ConfigurableApplicationContext context = spring.run(settings.toArray(String[]::new));
        started.add(context);
        return context;
    }

    private static FakeLiveLimits limits(ConfigurableApplicationContext context) {
        return context.getBean(FakeLiveLimits.class);
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + server.getEnvironment().getProperty(port) + root + path);
    }

    private HttpRequest.Builder request(String path, String user) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        return user.isEmpty() ? request : request.header("Authorization", login(user));
    }

    private static String login(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
    }

    private HttpResponse<String> get(String path, String user) throws Exception {
        return http.send(request(path, user).build(), BodyHandlers.ofString());
    }

    private JsonNode json(String path, String user) throws Exception {
        HttpResponse<String> answer = get(path, user);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return MAPPER.readTree(answer.body());
    }

    /** As the page does it. */
    private HttpRequest.Builder write(String path, String user, String body) throws Exception {
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

    private HttpResponse<String> post(String path, String user, String body) throws Exception {
        return http.send(write(path, user, body).build(), BodyHandlers.ofString());
    }

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
                start(
                        defaultApplication(),
                        "--spring.autoconfigure.exclude=",
                        "--spring.security.user.name=ann",
                        "--spring.security.user.password={noop}secret"),
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
        on(unsecured(), () -> {
            for (String forwarded : List.of("", "X-Forwarded-Host: localhost\r\n")) {
                assertThat(raw("GET /ops/limiter/api/limits HTTP/1.1\r\nHost: " + host + "\r\n" + forwarded
                                + "Connection: close\r\n\r\n"))
                        .isEqualTo(status);
                limits(server).clear();
                assertThat(raw("POST /ops/limiter/api/limits HTTP/1.1\r\nHost: " + host + "\r\n" + forwarded
                                + "Sec-Fetch-Site: same-origin\r\nOrigin: http://" + host
                                + "\r\nX-Limiter-Console: 1\r\nContent-Type: application/json\r\nContent-Length: "
                                + PUT.length() + "\r\nConnection: close\r\n\r\n" + PUT))
                        .isEqualTo(status);
                assertThat(limits(server).list()).hasSize(status == 200 ? 1 : 0);
            }
        });
    }

    private ConfigurableApplicationContext unsecured;

    private ConfigurableApplicationContext unsecured() {
        if (unsecured == null) {
            unsecured = start(
                    openApplication(),
                    "--server.forward-headers-strategy=framework",
                    "--limiter.console.allow-unsecured=true",
                    "--limiter.console.write-authorities=ROLE_ANONYMOUS");
        }
        return unsecured;
    }

    /** The status of the answer. */
    private int raw(String request) throws IOException {
        int port = Integer.parseInt(server.getEnvironment().getRequiredProperty("local.server.port"));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.split(" ", 3)[1]);
        }
    }

    @Test
    void anonymous_is_no_authority_where_a_login_is_needed() throws Exception {
        on(start(openApplication(), "--limiter.console.write-authorities=ROLE_ANONYMOUS"), () -> {
            assertThat(get("/api/limits", "").statusCode()).isEqualTo(401);
            csrf = new Csrf("X-CSRF-TOKEN", "any");
            assertThat(post("/api/limits", "", PUT).statusCode()).isEqualTo(401);
        });
    }

    @Test
    void allow_unsecured_alone_lets_no_user_write() throws Exception {
        on(start(openApplication(), "--limiter.console.allow-unsecured=true"), () -> {
            assertThat(json("/api/session", "").get("write").asBoolean()).isFalse();
            csrf = new Csrf("X-CSRF-TOKEN", "any");
            HttpResponse<String> answer = post("/api/limits", "", PUT);
            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(answer.body()).contains("limiter.console.write-authorities", "none is set");
            assertThat(limits(server).list()).isEmpty();
        });
    }

    private interface Check {
        void run() throws Exception;
    }

    private void on(ConfigurableApplicationContext other, Check check) throws Exception {
        ConfigurableApplicationContext usual = server;
        server = other;
        try {
            check.run();
        } finally {
            server = usual;
        }
    }

    @Test
    void it_is_served_below_a_context_path() throws Exception {
        String property =
                type() == WebApplicationType.SERVLET ? "server.servlet.context-path" : "spring.webflux.base-path";
        on(start(application(), "--limiter.console.read-authorities=ROLE_viewer", "--" + property + "=/shop"), () -> {
            assertThat(at("local.server.port", "/shop/ops/limiter/")).isEqualTo(200);
            assertThat(at("local.server.port", "/shop/ops/limiter/assets/main.js"))
                    .isEqualTo(200);
            assertThat(at("local.server.port", "/ops/limiter/")).isEqualTo(404);
        });
    }

    @Test
    void it_is_served_on_the_management_port_if_there_is_one() throws Exception {
        on(
                start(
                        application(),
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

    @ParameterizedTest
    @ValueSource(strings = {"/", "/assets/main.js", "/api/session", "/api/limits", KEY + "ann", "/api/history"})
    void reading_makes_no_session(String path) throws Exception {
        assertThat(get(path, "operator").headers().map()).doesNotContainKey("set-cookie");
    }

    @Test
    void an_operator_changes_a_limit_and_rolls_back() throws Exception {
        HttpResponse<String> put = post("/api/limits", "operator", PUT);
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        JsonNode live = MAPPER.readTree(put.body());
        assertThat(live.get("who").asText()).isEqualTo("operator");
        assertThat(live.get("expiresAt").asLong() - live.get("since").asLong()).isEqualTo(1_800_000);
        assertThat(limits(server).get("search").orElseThrow().settings())
                .isEqualTo(LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(20));
        assertThat(json("/api/limits", "viewer").at("/limits/0/settings/rate").asDouble())
                .isEqualTo(20);

        long version = live.get("version").asLong();
        HttpResponse<String> rolledBack = post(
                "/api/limits/roll-back",
                "operator",
                "{\"version\":%d,\"why\":\"fine again\",\"expectedVersion\":%d}".formatted(version, version));
        assertThat(rolledBack.statusCode()).as(rolledBack.body()).isEqualTo(200);
        assertThat(limits(server).list()).isEmpty();
        JsonNode history = json("/api/history", "viewer").get("changes");
        assertThat(history.at("/0/why").asText()).isEqualTo("fine again");
        assertThat(history.at("/0/after").isNull()).isTrue();
        assertThat(history.at("/1/after/settings/rate").asDouble()).isEqualTo(20);
    }

    @Test
    void support_bans_a_key_and_undoes_it() throws Exception {
        HttpResponse<String> banned = post("/api/limits", "support", BAN);
        assertThat(banned.statusCode()).as(banned.body()).isEqualTo(200);
        assertThat(limits(server)
                        .get("search", LiveKey.of("tenant-42"))
                        .orElseThrow()
                        .settings())
                .isEqualTo(LiveSettings.BANNED);
        JsonNode keys = json("/api/keys?name=search&search=42", "viewer");
        assertThat(keys.get("all").asInt()).isEqualTo(1);
        assertThat(keys.at("/keys/0/key/value").asText()).isEqualTo("tenant-42");
        assertThat(keys.at("/keys/0/settings/access").asText()).isEqualTo("BANNED");
        assertThat(keys.at("/keys/0/who").asText()).isEqualTo("support");
        assertThat(json("/api/keys?name=search&search=43", "viewer").get("keys"))
                .isEmpty();
        assertThat(json("/api/history", "viewer").at("/changes/0/key/value").asText())
                .isEqualTo("tenant-42");

        long version = MAPPER.readTree(banned.body()).get("version").asLong();
        HttpResponse<String> undone = post(
                "/api/limits/roll-back",
                "support",
                "{\"version\":%d,\"expectedVersion\":%d}".formatted(version, version));
        assertThat(undone.statusCode()).as(undone.body()).isEqualTo(200);
        assertThat(limits(server).keys("search")).isEmpty();
    }

    @Test
    void a_key_authority_changes_no_limit_of_all_keys() throws Exception {
        HttpResponse<String> put = post("/api/limits", "support", PUT);
        assertThat(put.statusCode()).isEqualTo(403);
        assertThat(put.body()).contains("limiter.console.write-authorities").doesNotContain("key-authorities");
        long version = MAPPER.readTree(post("/api/limits", "operator", PUT).body())
                .get("version")
                .asLong();
        String body = "{\"name\":\"search\",\"version\":%d,\"expectedVersion\":%d}".formatted(version, version);
        assertThat(post("/api/limits/remove", "support", "{\"name\":\"search\",\"expectedVersion\":" + version + "}")
                        .statusCode())
                .isEqualTo(403);
        assertThat(post("/api/limits/roll-back", "support", body.replace("\"name\":\"search\",", ""))
                        .statusCode())
                .isEqualTo(403);
        assertThat(limits(server).get("search")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"viewer", "ann"})
    void who_may_only_read_bans_no_key(String user) throws Exception {
        HttpResponse<String> answer = post("/api/limits", user, BAN);
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("limiter.console.key-authorities", "limiter.console.write-authorities");
    }

    @Test
    void a_key_has_its_permits_its_live_limit_and_its_rejections() throws Exception {
        Limiter login = server.getBean(LimiterFactory.class).build("login", FixedWindow.of(3, Duration.ofHours(1)));
        login.tryAcquire("ann", 2);
        limits(server).put("login", LiveKey.of("ann"), LiveSettings.EXEMPT, ChangeNote.of("maria", "a partner"), 0);
        limits(server)
                .reports(() -> List.of(
                        ofLogin("one", "login", "ann", REJECTED),
                        ofLogin("two", "login.pro", "ann", REJECTED.plusMillis(5))));
        // A page that was open before has the reports of a second ago.
        JsonNode ann =
                eventually(KEY + "ann", answer -> answer.get("rejections").asInt() == 4);
        assertThat(ann.get("name").asText()).isEqualTo("login");
        assertThat(ann.at("/live/who").asText()).isEqualTo("maria");
        assertThat(ann.at("/last/0/instance").asText()).isEqualTo("two");
        assertThat(ann.at("/last/1/at").asLong()).isEqualTo(REJECTED.toEpochMilli());
        assertThat(ann.get("plan").asText()).as("of the calls of the key").isEqualTo("pro");
        assertThat(ann.get("problem").asText()).contains("has not built the limit 'login.pro'");
        assertThat(json("/api/key?prefix=countLimit:&name=login.pro&key=bob", "viewer")
                        .get("name")
                        .asText())
                .as("the limit of the plan")
                .isEqualTo("login");

        limits(server).reports(List::of);
        JsonNode quiet =
                eventually(KEY + "ann", answer -> answer.get("rejections").asInt() == 0);
        assertThat(quiet.at("/permits/remaining").asInt()).isEqualTo(1);
        assertThat(json(KEY + "bob", "viewer").at("/permits/remaining").asInt()).isEqualTo(3);
        assertThat(json(KEY + "4f0c9a31be77d210&hashed=true", "viewer")
                        .get("problem")
                        .asText())
                .contains("only the hash of the key is known");
        assertThat(json("/api/key?prefix=countLimit:&name=unknown&key=ann", "viewer")
                        .get("problem")
                        .asText())
                .contains("has not built the limit 'unknown'");
        for (String bad : List.of("prefix=&key=a", "prefix=&name=n", "name=n&key=a", "prefix=&name=n&key=%20")) {
            assertThat(get("/api/key?" + bad, "viewer").statusCode()).as(bad).isEqualTo(400);
        }
    }

    private JsonNode eventually(String path, Predicate<JsonNode> expected) throws Exception {
        JsonNode answer = json(path, "viewer");
        for (long end = System.nanoTime() + PATIENCE.toNanos(); !expected.test(answer) && System.nanoTime() < end; ) {
            Thread.sleep(50);
            answer = json(path, "viewer");
        }
        assertThat(expected.test(answer)).as("%s", answer).isTrue();
        return answer;
    }

    private static InstanceReport ofLogin(String instance, String name, String key, Instant rejected) {
        return new InstanceReport(
                instance,
                Instant.now(),
                0,
                "available",
                List.of(new LimitReport(
                        "countLimit:",
                        name,
                        "login",
                        "fixed-window",
                        "",
                        LiveSettings.NONE,
                        5,
                        2,
                        0,
                        0,
                        Duration.ZERO,
                        Map.of(),
                        List.of(),
                        List.of(new LimitReport.RejectedKey(key, 2, List.of(rejected))),
                        "",
                        Map.of())),
                List.of());
    }

    @Test
    void a_ban_by_rejections_is_that_of_the_permits_and_ends_with_a_reset() throws Exception {
        Limiter banning = server.getBean(LimiterFactory.class)
                .withBan(Ban.after(1))
                .build("banning", FixedWindow.of(1, Duration.ofHours(1)));
        banning.tryAcquire("eve", 1);
        banning.tryAcquire("eve", 1);
        JsonNode eve = eventually(
                KEY.replace("login", "banning") + "eve",
                answer -> answer.at("/permits/source").asText().equals("override"));
        assertThat(eve.at("/live").isNull()).as("not by a live limit").isTrue();
        assertThat(eve.at("/permits/granted").asBoolean()).isFalse();
        assertThat(eve.at("/permits/retryAfter").asDouble())
                .as("of the limit, which ends after the ban")
                .isGreaterThan(300.0);
        String reset = "{\"prefix\":\"countLimit:\",\"name\":\"banning\",\"key\":{\"value\":\"eve\",\"hashed\":false}}";
        assertThat(post("/api/keys/reset", "support", reset).statusCode()).isEqualTo(200);
        assertThat(banning.tryAcquire("eve", 1)).isTrue();
    }

    @Test
    void bans_of_all_instances_are_listed_and_each_ends_with_a_reset_as_it_is_shown() throws Exception {
        LimiterFactory limiters = server.getBean(LimiterFactory.class).withBan(Ban.after(1));
        FixedWindow once = FixedWindow.of(1, Duration.ofHours(1));
        Limiter here = limiters.build("listed", once).on("eve");
        Limiter elsewhere = limiters.withHashTag(HashTag.FIRST_KEY)
                .build("listed", once)
                .on("shop")
                .on("a#1")
                .on("carl");
        here.tryAcquire();
        here.tryAcquire();
        elsewhere.tryAcquire();
        Instant ends = Instant.now().plusSeconds(300);
        BannedKey eve = banned(FakeLiveLimits.hash(LiveKey.of("eve")), null, List.of(), ends);
        BannedKey carl = banned("a%231#carl", "shop", List.of("shop", "a#1", "carl"), ends.plusSeconds(100));
        BannedKey later = banned(eve.key(), null, List.of(), ends.plusSeconds(1));
        limits(server).reports(() -> List.of(knowing("one", eve, carl), knowing("two", later)));
        assertThat(bansSeenBy("viewer"))
                .as("who may not change keys could find the hashed one by its end")
                .singleElement()
                .satisfies(ban -> assertThat(ban.get("key").asText()).isEqualTo("a%231#carl"));
        JsonNode bans = bansSeenBy("support");
        assertThat(bans).hasSize(2);
        assertThat(bans.at("/0/key").asText()).isEqualTo("a%231#carl");
        assertThat(bans.at("/0/hashTag").asText()).isEqualTo("shop");
        assertThat(bans.at("/0/limiter").asText()).isEqualTo("listed");
        assertThat(bans.at("/1/key").asText()).isEqualTo(eve.key());
        assertThat(bans.at("/1/ends").asLong()).isEqualTo(later.ends().toEpochMilli());

        String reset = "{\"prefix\":\"countLimit:\",\"name\":\"listed\",\"ban\":true,"
                + "\"key\":{\"value\":\"%s\",\"hashed\":%s},\"hashTag\":%s}";
        for (String user : List.of("viewer", "ann")) {
            assertThat(post("/api/keys/reset", user, reset.formatted(eve.key(), true, null))
                            .statusCode())
                    .isEqualTo(403);
        }
        assertThat(post("/api/keys/reset", "support", reset.formatted(eve.key(), true, "\"shop\""))
                        .body())
                .contains("this instance does not know whose ban it is");
        assertThat(here.tryAcquire()).isFalse();
        HttpResponse<String> byHash = post("/api/keys/reset", "support", reset.formatted(eve.key(), true, null));
        assertThat(byHash.statusCode()).as(byHash.body()).isEqualTo(200);
        assertThat(here.tryAcquire()).isTrue();
        HttpResponse<String> again = post("/api/keys/reset", "support", reset.formatted(eve.key(), true, null));
        assertThat(again.statusCode()).as("known no more, and a hash is no key").isEqualTo(400);
        assertThat(elsewhere.peek().granted()).isFalse();
        HttpResponse<String> byPath =
                post("/api/keys/reset", "support", reset.formatted(carl.key(), false, "\"shop\""));
        assertThat(byPath.statusCode()).as(byPath.body()).isEqualTo(200);
        assertThat(elsewhere.tryAcquire()).isTrue();
    }

    private JsonNode bansSeenBy(String user) throws Exception {
        try (Events events = new Events(user)) {
            JsonNode bans;
            do {
                bans = events.next().get("bans");
            } while (bans.isEmpty());
            return bans;
        }
    }

    private static BannedKey banned(String key, String hashTag, List<String> path, Instant ends) {
        return new BannedKey("countLimit:", "listed", key, hashTag, path, ends);
    }

    private static InstanceReport knowing(String instance, BannedKey... bans) {
        return new InstanceReport(instance, Instant.now(), 0, "available", List.of(), List.of(bans));
    }

    @Test
    void support_resets_a_key_which_is_audited() throws Exception {
        List<AuditEvent> audits = new CopyOnWriteArrayList<>();
        ApplicationListener<AuditApplicationEvent> listener = new ApplicationListener<>() {
            @Override
            public void onApplicationEvent(AuditApplicationEvent event) {
                audits.add(event.getAuditEvent());
            }
        };
        server.addApplicationListener(listener);
        Limiter login = server.getBean(LimiterFactory.class).build("login", FixedWindow.of(3, Duration.ofHours(1)));
        login.tryAcquire("carl", 3);
        String body = "{\"prefix\":\"countLimit:\",\"name\":\"login\",\"key\":{\"value\":\"carl\",\"hashed\":%s}}";
        for (String user : List.of("viewer", "ann")) {
            assertThat(post("/api/keys/reset", user, body.formatted(false)).statusCode())
                    .isEqualTo(403);
        }
        assertThat(post("/api/keys/reset", "support", body.formatted(true).replace("carl", "4f0c9a31be77d210"))
                        .statusCode())
                .as("by its hash")
                .isEqualTo(400);
        assertThat(login.tryAcquire("carl", 1)).isFalse();
        audits.clear();

        HttpResponse<String> reset = post("/api/keys/reset", "support", body.formatted(false));
        assertThat(reset.statusCode()).as(reset.body()).isEqualTo(200);
        assertThat(MAPPER.readTree(reset.body()).get("remaining").asInt()).isEqualTo(3);
        assertThat(login.tryAcquire("carl", 3)).isTrue();
        assertThat(audits)
                .filteredOn(audit -> audit.getType().equals("LIMIT_RESET"))
                .singleElement()
                .satisfies(audit -> {
                    assertThat(audit.getPrincipal()).isEqualTo("support");
                    assertThat(audit.getData())
                            .containsEntry("limit", "countLimit:login")
                            .containsEntry("result", "done")
                            .hasEntrySatisfying(
                                    "key", key -> assertThat((String) key).matches("[0-9a-f]{16}"));
                });
        server.removeApplicationListener(listener);
    }

    @Test
    void the_live_limits_of_the_keys_of_all_limits_are_searched() throws Exception {
        limits(server)
                .put("search", LiveKey.of("tenant-42"), LiveSettings.BANNED, ChangeNote.of("maria", "scraping"), 0);
        limits(server).put("login", LiveKey.of("tenant-7"), LiveSettings.EXEMPT, ChangeNote.of("ann", ""), 0);
        assertThat(json("/api/keys", "viewer").get("all").asInt()).isEqualTo(2);
        for (String search : List.of("login", "tenant-7", "ann")) {
            JsonNode found = json("/api/keys?search=" + search, "viewer");
            assertThat(found.get("all").asInt()).as(search).isOne();
            assertThat(found.at("/keys/0/name").asText()).isEqualTo("login");
        }
        assertThat(json("/api/keys?search=scrap", "viewer").at("/keys/0/name").asText())
                .isEqualTo("search");
    }

    @Test
    void the_history_is_read_page_by_page() throws Exception {
        for (int i = 0; i < 5; i++) {
            limits(server).put("limit-" + i, LiveSettings.NONE.enforce(false), ChangeNote.of("ann", ""), 0);
        }
        JsonNode newest = json("/api/history?most=3", "viewer");
        assertThat(newest.at("/changes/0/name").asText()).isEqualTo("limit-4");
        assertThat(newest.get("changes")).hasSize(3);
        JsonNode older = json("/api/history?most=3&before=" + newest.get("next").asLong(), "viewer");
        assertThat(older.get("changes")).hasSize(2);
        assertThat(older.at("/changes/1/name").asText()).isEqualTo("limit-0");
        assertThat(older.get("next").asLong()).isZero();
        for (String bad : List.of("before=x", "before=-1", "most=1001", "before=9999999999999999999")) {
            HttpResponse<String> answer = get("/api/history?" + bad, "viewer");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("must be a number from 0 to");
        }
    }

    @Test
    void an_operator_removes_a_live_limit() throws Exception {
        long version = MAPPER.readTree(post("/api/limits", "operator", PUT).body())
                .get("version")
                .asLong();
        HttpResponse<String> removed =
                post("/api/limits/remove", "operator", "{\"name\":\"search\",\"expectedVersion\":" + version + "}");
        assertThat(removed.statusCode()).as(removed.body()).isEqualTo(200);
        assertThat(limits(server).list()).isEmpty();
    }

    @Test
    void a_conflict_shows_the_change_of_the_other() throws Exception {
        limits(server)
                .put("search", LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(30), ChangeNote.of("maria", "was first"), 0);
        HttpResponse<String> conflict = post("/api/limits", "operator", PUT);
        assertThat(conflict.statusCode()).isEqualTo(409);
        JsonNode current = MAPPER.readTree(conflict.body()).get("current");
        assertThat(current.get("who").asText()).isEqualTo("maria");
        assertThat(current.at("/settings/rate").asDouble()).isEqualTo(30);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{\"name\":\"s\",\"settings\":{\"rate\":0},\"expectedVersion\":0}; rate must be more than 0",
                "{\"name\":\"s\",\"settings\":{\"rate\":1}}; expectedVersion is missing",
                "{\"settings\":{},\"expectedVersion\":0}; name is missing",
                "{\"name\":\"s\",\"settings\":{\"rat\":1},\"expectedVersion\":0}; rat",
                "{\"name\":\"s\",\"settings\":{\"period\":-1},\"expectedVersion\":0}; period must be between",
                "{\"name\":\"s\",\"settings\":{\"kind\":\"x\"},\"expectedVersion\":0}; kind must be one of",
                "{\"name\":\"s\",\"settings\":{},\"expiresSeconds\":9223372036854775807,\"expectedVersion\":0}; expiresIn",
                "{\"name\":\"s\",\"settings\":{\"limit\":1.9},\"expectedVersion\":0}; 1.9",
                "{\"name\":\"s\",\"settings\":{\"limit\":\"1\"},\"expectedVersion\":0}; Integer",
                "{\"name\":\"s\",\"settings\":{},\"expiresSeconds\":1.5,\"expectedVersion\":0}; 1.5",
                "{\"name\":\"s\",\"settings\":{\"enforce\":0},\"expectedVersion\":0}; Boolean",
                "{\"name\":7,\"settings\":{},\"expectedVersion\":0}; String",
                "{\"name\":\"s\",\"name\":\"t\",\"settings\":{},\"expectedVersion\":0}; Duplicate",
                "{\"name\":\"s\",\"settings\":{\"rate\":1,\"rate\":2},\"expectedVersion\":0}; Duplicate",
                "null; JSON object",
                "{; cannot be read",
                "''; cannot be read"
            })
    void a_bad_change_is_rejected_with_the_reason(String body, String reason) throws Exception {
        HttpResponse<String> answer = post("/api/limits", "operator", body == null ? "" : body);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(MAPPER.readTree(answer.body()).get("detail").asText()).contains(reason);
        assertThat(limits(server).list()).isEmpty();
    }

    @Test
    void a_long_body_is_rejected() throws Exception {
        String body = PUT.replace("slow", "x".repeat(Console.MAX_BODY));
        assertThat(post("/api/limits", "operator", body).statusCode()).isEqualTo(400);
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
        "Content-Type, application/x-www-form-urlencoded, 415",
        "Content-Type, text/plain, 415",
        "Sec-Fetch-Site, same-site, 403",
        "Sec-Fetch-Site, cross-site, 403"
    })
    void a_write_that_a_form_or_another_site_could_send_is_rejected(String header, String value, int status)
            throws Exception {
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
                "{\"name\":%s,\"settings\":{\"enforce\":false},\"why\":%s,\"expectedVersion\":0}"
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

    private static InstanceReport report(String text) {
        return new InstanceReport(
                "shop:8080",
                Instant.now(),
                0,
                "available",
                List.of(new LimitReport(
                        "rateLimit:",
                        text,
                        text,
                        "token-bucket",
                        text,
                        LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(1),
                        5,
                        2,
                        0,
                        0,
                        Duration.ZERO,
                        Map.of(),
                        List.of(new LimitReport.HotKey(text, 7)),
                        List.of(new LimitReport.RejectedKey(text, 2, List.of(REJECTED))),
                        text,
                        Map.of())),
                List.of());
    }

    /** The stream that a page reads. */
    private final class Events implements AutoCloseable {

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
