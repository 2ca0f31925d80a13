package io.limiter.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.TestRedis;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** The requests and keys of rules: the same for servlets and for WebFlux. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class HttpRulesContract {

    private static final String ORIGIN = "https://app.example";

    private static final List<String> RULES = List.of(
            "name=login",
            "path=/login",
            "key=#{ip}:#{path}",
            "name=files",
            "path=/files/**",
            "key=#{ip}:#{path}",
            "name=keyed",
            "path=/keyed",
            "key=header:X-Api-Key",
            "name=shared",
            "path=/shared",
            "key=ip",
            "name=options",
            "path=/options",
            "methods=OPTIONS",
            "name=mine",
            "path=/mine",
            "key=user");

    private final List<ConfigurableApplicationContext> started = new ArrayList<>();
    private ConfigurableApplicationContext usual;
    private ConfigurableApplicationContext oneFile;

    protected abstract WebApplicationType type();

    protected abstract Class<?> application();

    /** With a filter for CORS that allows all, ahead of the rules, and shows the headers of limits. */
    protected abstract Class<?> applicationWithCors();

    @BeforeAll
    void open() {
        usual = start();
        oneFile = start("limiter.http[1].path=/files/hello.txt,/files/open/**", "limiter.http[1].exclude=/files/open/");
    }

    @AfterAll
    void close() {
        started.forEach(ConfigurableApplicationContext::close);
    }

    private ConfigurableApplicationContext start(String... more) {
        return start(application(), more);
    }

    /**
     * With rules of one request an hour. Runs until the last test is done, as no other server may lose its threads.
     *
     * @param more settings in place of these or more
     */
    protected final ConfigurableApplicationContext start(Class<?> application, String... more) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("server.port", "0");
        settings.put("spring.data.redis.url", TestRedis.shared().uri());
        settings.put("spring.main.banner-mode", "off");
        // A slow machine is not an outage.
        settings.put("limiter.failure.policy", "throw");
        settings.put("limiter.failure.decision-timeout", "2m");
        settings.put("spring.web.resources.static-locations", "classpath:/contract/");
        settings.put("limiter.key.trusted-proxies", "127.0.0.0/8,::1");
        int rule = -1;
        for (String setting : RULES) {
            if (setting.startsWith("name=")) {
                rule++;
                settings.put("limiter.http[" + rule + "].limits[0].limit", "1");
                settings.put("limiter.http[" + rule + "].limits[0].period", "3600");
            }
            put("limiter.http[" + rule + "]." + setting, settings);
        }
        List.of(more).forEach(setting -> put(setting, settings));
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(type());
        ConfigurableApplicationContext context = spring.run(settings.entrySet().stream()
                .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                .toArray(String[]::new));
        started.add(context);
        return context;
    }

    private static void put(String setting, Map<String, String> settings) {
        int equals = setting.indexOf('=');
        settings.put(setting.substring(0, equals), setting.substring(equals + 1));
    }

    @Test
    void the_address_is_the_forwarded_one_if_the_framework_reads_forwarded_headers() throws Exception {
        ConfigurableApplicationContext framework = start("server.forward-headers-strategy=framework");
        for (String caller : new String[] {address(), "[2001:db8:" + random() + ":" + random() + "::1]"}) {
            String[] headers = {"X-Forwarded-For", caller};
            assertThat(call("GET", framework, "/shared", headers).statusCode()).isEqualTo(200);
            assertThat(call("GET", framework, "/shared", headers).statusCode()).isEqualTo(429);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/login;a=1", "/login;a=2", "/%6cogin", "/%6Cogin;b"})
    void all_spellings_of_a_path_have_one_key(String spelling) throws Exception {
        String[] caller = {"X-Forwarded-For", address()};
        assertThat(get("/login", caller).statusCode()).isEqualTo(200);
        assertThat(get(spelling, caller).statusCode()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/files%2Fhello.txt",
                "//files/hello.txt",
                "/files//hello.txt",
                "/./files/hello.txt",
                "/files/./hello.txt",
                "/%2e/files/hello.txt",
                "/x/../files/hello.txt",
                "/x/%2E%2E/files/hello.txt",
                "/%5Cfiles%5Chello.txt",
                "/files/%68ello.txt",
                "/files/hello.txt/",
                "/files/hello.txt;a=1"
            })
    void all_spellings_of_a_file_have_one_key(String spelling) throws Exception {
        String[] caller = {"X-Forwarded-For", address()};
        assertThat(get("/files/hello.txt", caller).statusCode()).isEqualTo(200);
        assertThat(get(spelling, caller).body().strip()).isNotEqualTo("hello");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/files/hello.txt/", "//files//hello.txt", "/files/hello%2Etxt"})
    void a_rule_for_a_file_matches_all_spellings_of_its_path(String spelling) throws Exception {
        String[] caller = {"X-Forwarded-For", address()};
        assertThat(call("GET", oneFile, spelling, caller).body().strip()).isEqualTo("hello");
        assertThat(call("GET", oneFile, spelling, caller).statusCode()).isEqualTo(429);
    }

    @Test
    void an_exclusion_matches_no_other_spelling() throws Exception {
        String[] caller = {"X-Forwarded-For", address()};
        for (int i = 0; i < 2; i++) {
            assertThat(call("GET", oneFile, "/files/open/", caller).statusCode())
                    .isEqualTo(404);
        }
        assertThat(call("GET", oneFile, "/files/open//", caller).header("RateLimit"))
                .isPresent();
    }

    @Test
    void a_preflight_is_under_no_rule_that_does_not_name_its_method() throws Exception {
        String caller = address();
        for (String path : new String[] {"/keyed", "/shared", "/shared"}) {
            Reply preflight = preflight(path, caller);
            assertThat(preflight.statusCode()).isEqualTo(200);
            assertThat(header(preflight, "Access-Control-Allow-Origin")).isEqualTo(ORIGIN);
            assertThat(preflight.header("RateLimit")).isEmpty();
        }
        assertThat(get("/shared", "X-Forwarded-For", caller).statusCode()).isEqualTo(200);
        assertThat(preflight("/options", caller).statusCode()).isEqualTo(200);
        assertThat(preflight("/options", caller).statusCode()).isEqualTo(429);
    }

    @Test
    void options_that_are_no_preflight_are_limited() throws Exception {
        for (String[] headers : new String[][] {{}, {"Origin", ORIGIN}, {"Access-Control-Request-Method", "GET"}}) {
            List<String> all = new ArrayList<>(List.of("X-Forwarded-For", address()));
            all.addAll(List.of(headers));
            String[] caller = all.toArray(String[]::new);
            assertThat(call("OPTIONS", usual, "/shared", caller).statusCode()).isEqualTo(200);
            assertThat(call("OPTIONS", usual, "/shared", caller).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void a_page_of_another_origin_can_read_a_rejection_if_cors_comes_before_the_rules() throws Exception {
        ConfigurableApplicationContext cors = start(applicationWithCors());
        String[] caller = {"X-Forwarded-For", address(), "Origin", ORIGIN};
        assertThat(call("GET", cors, "/shared", caller).statusCode()).isEqualTo(200);
        Reply rejected = call("GET", cors, "/shared", caller);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(header(rejected, "Access-Control-Allow-Origin")).isEqualTo(ORIGIN);
        assertThat(header(rejected, "Access-Control-Expose-Headers")).contains("Retry-After");
        assertThat(rejected.header("RateLimit")).isPresent();
    }

    @Test
    void anonymous_users_have_their_address_as_key() throws Exception {
        for (String address : new String[] {address(), address()}) {
            String[] caller = {"X-Anonymous", "yes", "X-Forwarded-For", address};
            assertThat(get("/mine", caller).statusCode()).isEqualTo(200);
            assertThat(get("/mine", caller).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void rules_are_not_for_a_port_of_the_management_alone() throws Exception {
        ConfigurableApplicationContext managed = start(
                "management.server.port=0",
                "limiter.http[0].path=/**",
                "limiter.http[0].key=all",
                "limiter.http[0].name=managed-" + UUID.randomUUID());
        for (int i = 0; i < 3; i++) {
            Reply health = send("GET", managed, "local.management.port", "/actuator/health");
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.header("RateLimit")).isEmpty();
        }
        assertThat(call("GET", managed, "/options").statusCode()).isEqualTo(200);
        assertThat(call("GET", managed, "/options").statusCode()).isEqualTo(429);
    }

    private Reply preflight(String path, String address) throws Exception {
        return call(
                "OPTIONS",
                usual,
                path,
                "X-Forwarded-For",
                address,
                "Origin",
                ORIGIN,
                "Access-Control-Request-Method",
                "GET");
    }

    private static String header(Reply reply, String name) {
        assertThat(reply.headers()).containsKey(name);
        return reply.header(name).orElseThrow();
    }

    protected final Reply get(String path, String... headers) throws Exception {
        return call("GET", usual, path, headers);
    }

    protected static Reply call(String method, ConfigurableApplicationContext context, String path, String... headers)
            throws Exception {
        return send(method, context, "local.server.port", path, headers);
    }

    private static Reply send(
            String method, ConfigurableApplicationContext context, String port, String path, String... headers)
            throws Exception {
        String authority = "127.0.0.1:" + context.getEnvironment().getRequiredProperty(port);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + authority + path))
                .timeout(Duration.ofMinutes(1))
                .method(method, HttpRequest.BodyPublishers.noBody());
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        // Unlike the other client of Java this one sends the headers of CORS, and paths as they are written. It is not
        // used
        // again, because Reactor Netty stalls some requests on connections that are.
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        Map<String, List<String>> received = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        received.putAll(answer.headers().map());
        return new Reply(answer.statusCode(), received, answer.body());
    }

    /** Unique, because a Redis that outlives this JVM has the keys of earlier runs. */
    protected static String address() {
        return "10." + random() % 256 + "." + random() % 256 + "." + random() % 256;
    }

    private static int random() {
        return ThreadLocalRandom.current().nextInt(1, 10_000);
    }
}
