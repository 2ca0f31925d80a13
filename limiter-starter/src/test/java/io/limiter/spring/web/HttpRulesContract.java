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
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** Which requests a rule is for, and whose permits they take: the same for servlets and for WebFlux. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class HttpRulesContract {

    /** Unlike the other client of Java it sends the headers of CORS, and paths as they are written. */
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofMinutes(1))
            .build();

    private static final List<String> RULES = List.of("name=shared", "path=/shared", "key=ip");

    private final List<ConfigurableApplicationContext> started = new ArrayList<>();
    private ConfigurableApplicationContext usual;

    protected abstract WebApplicationType type();

    protected abstract Class<?> application();

    @BeforeAll
    void open() {
        usual = start();
    }

    @AfterAll
    void close() {
        started.forEach(ConfigurableApplicationContext::close);
    }

    /** With rules of one request an hour. */
    private ConfigurableApplicationContext start(String... more) {
        List<String> settings = new ArrayList<>();
        int rule = -1;
        for (String setting : RULES) {
            if (setting.startsWith("name=")) {
                rule++;
                settings.add("--limiter.http[" + rule + "].limits[0].limit=1");
                settings.add("--limiter.http[" + rule + "].limits[0].period=3600");
            }
            settings.add("--limiter.http[" + rule + "]." + setting);
        }
        settings.addAll(List.of(more));
        return start(application(), settings.toArray(String[]::new));
    }

    /** Runs until the last test is done, as no other server may lose its threads. */
    protected final ConfigurableApplicationContext start(Class<?> application, String... more) {
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(type());
        List<String> settings = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.data.redis.url=" + TestRedis.shared().uri(),
                "--spring.main.banner-mode=off",
                // A slow machine is not an outage.
                "--limiter.failure.policy=throw",
                "--limiter.failure.budget=2m",
                "--spring.web.resources.static-locations=classpath:/contract/",
                "--limiter.key.trusted-proxies=127.0.0.0/8,::1"));
        settings.addAll(List.of(more));
        ConfigurableApplicationContext context = spring.run(settings.toArray(String[]::new));
        started.add(context);
        return context;
    }

    @Test
    void callers_are_known_where_the_framework_reads_forwarded_headers() throws Exception {
        ConfigurableApplicationContext framework = start("--server.forward-headers-strategy=framework");
        for (String caller : new String[] {address(), "[2001:db8:" + random() + ":" + random() + "::1]"}) {
            String[] headers = {"X-Forwarded-For", caller};
            assertThat(call("GET", framework, "/shared", headers).statusCode()).isEqualTo(200);
            assertThat(call("GET", framework, "/shared", headers).statusCode()).isEqualTo(429);
        }
    }

    protected final Reply get(String path, String... headers) throws Exception {
        return call("GET", usual, path, headers);
    }

    protected static Reply call(String method, ConfigurableApplicationContext context, String path, String... headers)
            throws Exception {
        return call(method, context, "local.server.port", path, headers);
    }

    private static Reply call(
            String method, ConfigurableApplicationContext context, String port, String path, String... headers)
            throws Exception {
        String authority = "127.0.0.1:" + context.getEnvironment().getRequiredProperty(port);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + authority + path))
                .timeout(Duration.ofMinutes(1))
                .method(method, HttpRequest.BodyPublishers.noBody());
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        HttpResponse<String> answer = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        Map<String, List<String>> received = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        received.putAll(answer.headers().map());
        return new Reply(answer.statusCode(), received, answer.body());
    }

    /** Nobody else's; a Redis that outlives this JVM may know those of the last run. */
    protected static String address() {
        return "10." + random() % 256 + "." + random() % 256 + "." + random() % 256;
    }

    private static int random() {
        return ThreadLocalRandom.current().nextInt(1, 10_000);
    }
}
