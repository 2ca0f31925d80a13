package io.limiter.spring.internal.actuate;

import static io.limiter.spring.internal.actuate.Operated.defined;
import static io.limiter.spring.internal.actuate.Operated.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.internal.metrics.LimiterMeters;
import io.limiter.testing.Eventually;
import io.limiter.testing.TestRedis;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** A whole application with Actuator and Prometheus, on a real Redis, and what the documentation says of it. */
class OperationsTest {

    private static final Path DOCS = Path.of("..", "docs", "operations");
    // A Redis that outlives this JVM may know the limits from the last run.
    private static final String KEY = UUID.randomUUID().toString();

    private static final String USER = "limiter-test";

    private static ConfigurableApplicationContext application;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @BeforeAll
    static void start() {
        // The sample, in whose module this runs once more, has a name.
        application = connected(
                "--limiter.namespace=",
                "--limiter.http.tokens.path=/model",
                "--limiter.http.tokens.settle=response-json:/usage/total_tokens",
                "--limiter.http.tokens.limits.one.limit=1000",
                "--limiter.http.tokens.limits.one.per=1m");
        LimiterFactory limiters = application.getBean(LimiterFactory.class);
        limiters.build("login", FixedWindow.of(1, Duration.ofHours(1))).tryAcquire(KEY);
        limiters.build("login", FixedWindow.of(1, Duration.ofHours(1))).tryAcquire(KEY);
        RateLimiter slow = limiters.build("slow", 100, 0.01, 60);
        slow.on(KEY).decide(1, Duration.ofSeconds(30));
        slow.on(KEY).decide(50, Duration.ofSeconds(30));
    }

    private static ConfigurableApplicationContext start(String... arguments) {
        return Operated.start(Application.class, arguments);
    }

    private static ConfigurableApplicationContext connected(String... arguments) {
        return Operated.connected(Application.class, arguments);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void the_application_is_healthy_while_redis_decides_and_degraded_while_the_policy_does() throws Exception {
        assertThat(get(application, "health/limiter").body()).contains("\"status\":\"UP\"");
        assertThat(get(application, "health").body()).contains("\"limiter\":{");
        try (ConfigurableApplicationContext alone = start("--spring.data.redis.port=" + TestRedis.closedPort())) {
            LimiterFactory limiters = alone.getBean(LimiterFactory.class);
            Eventually.that(() -> {
                limiters.build("login", FixedWindow.of(1, Duration.ofHours(1))).tryAcquire(KEY);
                assertThat(get(alone, "health/limiter").body())
                        .contains("\"status\":\"DEGRADED\"", "\"undecided\":1.0");
                assertThat(scrape(alone)).contains("limiter_backend_up 0.0");
            });
        }
    }

    @Test
    void a_value_that_is_no_limiters_degrades_it_until_it_is_gone() throws Exception {
        LimiterFactory limiters = application.getBean(LimiterFactory.class);
        Limiter limiter = limiters.build("foreign", FixedWindow.of(100, Duration.ofHours(1)));
        String key = "countLimit:{" + KEY + "}{foreign}:window";
        try (RedisConnection connection =
                application.getBean(RedisConnectionFactory.class).getConnection()) {
            connection.listCommands().lPush(key.getBytes(StandardCharsets.UTF_8), new byte[] {1});
            limiter.tryAcquire(KEY);
            Eventually.that(() -> assertThat(get(application, "health/limiter").body())
                    .contains(
                            "\"status\":\"DEGRADED\"",
                            "\"countLimit:foreign\":{",
                            "\"problem\":\"WRONGTYPE\"",
                            "\"remedy\":\"delete the key, or use another name or prefix\"")
                    .doesNotContain(KEY));
            assertThat(scrape(application))
                    .contains("limiter_failing 1.0", "limiter_failures_total{problem=\"WRONGTYPE\"}");
            connection.keyCommands().del(key.getBytes(StandardCharsets.UTF_8));
        }
        // The few of the last minute that Redis did not decide are less than a tenth now.
        for (int i = 0; i < 50; i++) {
            limiter.tryAcquire(KEY);
        }
        assertThat(get(application, "health/limiter").body()).contains("\"status\":\"UP\"", "\"undecided\":0.0");
        assertThat(scrape(application)).contains("limiter_failing 0.0");
    }

    @Test
    void the_settings_that_the_documentation_gives_make_every_problem_one_of_http() throws Exception {
        String[] settings = Pattern.compile("(?m)^management\\.endpoint\\.health\\.status\\..*$")
                .matcher(Files.readString(DOCS.resolve("README.md")))
                .results()
                .map(match -> "--" + match.group())
                .toArray(String[]::new);
        assertThat(settings).hasSizeGreaterThan(1);
        for (String policy : List.of("local", "throw")) {
            try (ConfigurableApplicationContext alone = start(Stream.concat(
                            Arrays.stream(settings),
                            Stream.of(
                                    "--spring.data.redis.port=" + TestRedis.closedPort(),
                                    "--limiter.on-failure=" + policy,
                                    "--management.health.redis.enabled=false"))
                    .toArray(String[]::new))) {
                Limiter limiter =
                        alone.getBean(LimiterFactory.class).build("login", FixedWindow.of(1, Duration.ofHours(1)));
                Eventually.that(() -> {
                    assertThatCode(() -> limiter.tryAcquire(KEY))
                            .satisfiesAnyOf(
                                    error -> assertThat(error).isNull(),
                                    error -> assertThat(error).isInstanceOf(LimiterBackendException.class));
                    HttpResponse<String> health = get(alone, "health");
                    assertThat(health.body())
                            .contains("\"status\":\"" + (policy.equals("throw") ? "DOWN" : "DEGRADED") + "\"");
                    assertThat(health.statusCode()).isEqualTo(503);
                });
            }
        }
    }

    @Test
    void the_contributor_goes_with_all_others_unless_it_is_switched_on_by_name() {
        String port = "--spring.data.redis.port=" + TestRedis.shared().port();
        String none = "--management.health.defaults.enabled=false";
        try (ConfigurableApplicationContext off = defined(new SpringApplication(Application.class), port, none);
                ConfigurableApplicationContext on = defined(
                        new SpringApplication(Application.class),
                        port,
                        none,
                        "--management.health.limiter.enabled=true")) {
            assertThat(off.containsBean("limiterHealthIndicator")).isFalse();
            assertThat(on.containsBean("limiterHealthIndicator")).isTrue();
        }
        try (ConfigurableApplicationContext off =
                defined(new SpringApplication(Application.class), port, "--management.health.limiter.enabled=false")) {
            assertThat(off.containsBean("limiterHealthIndicator")).isFalse();
        }
        assertThat(application.containsBean("limiterHealthIndicator")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(classes = {MeterRegistry.class, RedisConnectionFactory.class, LimiterFactory.class})
    void beans_that_are_created_late_have_their_meters_too(Class<?> first) {
        try (ConfigurableApplicationContext lazy = start(
                "--spring.main.lazy-initialization=true",
                "--spring.main.web-application-type=none",
                // It makes some of them at the start.
                "--management.health.defaults.enabled=false",
                "--management.health.limiter.enabled=false",
                "--spring.data.redis.port=" + TestRedis.shared().port())) {
            assertThat(lazy.getBean(first)).isNotNull();
            assertThat(lazy.getBean(MeterRegistry.class)
                            .get(LimiterMeters.BACKEND)
                            .gauge()
                            .value())
                    .isEqualTo(1);
        }
    }

    @Test
    void every_metric_of_the_dashboard_and_the_alerts_is_scraped() throws Exception {
        String scraped = scrape(application);
        Set<String> used = metricsIn("grafana-dashboard.json");
        used.addAll(metricsIn("prometheus-alerts.yml"));
        assertThat(used).hasSizeGreaterThan(8);
        assertThat(used.stream()
                        .filter(metric -> !Pattern.compile("(?m)^" + metric + "[ {]")
                                .matcher(scraped)
                                .find()))
                .isEmpty();
        assertThat(scraped)
                .contains("limiter_decisions_total{limit=\"login\",outcome=\"granted\",source=\"redis\"} 1.0")
                .contains("limiter_decisions_total{limit=\"login\",outcome=\"rejected\",source=\"redis\"} 1.0")
                .contains("limiter_backend_up 1.0")
                .doesNotContain(KEY);
    }

    @Test
    void every_meter_is_documented_and_every_documented_one_is_scraped() throws Exception {
        Set<String> inCode = Arrays.stream(LimiterMeters.class.getFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()))
                .map(OperationsTest::value)
                .filter(name -> name.startsWith("limiter."))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> inDocs = Pattern.compile("(?m)^\\| `(limiter\\.[a-z.]+)` \\|")
                .matcher(Files.readString(DOCS.resolve("README.md")))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(inDocs).isEqualTo(inCode);
        String scraped = scrape(application);
        assertThat(inDocs).allSatisfy(name -> assertThat(scraped).contains(name.replace('.', '_')));
    }

    @Test
    void the_rights_that_the_documentation_gives_are_enough() throws Exception {
        String rule = Pattern.compile("(?m)^ACL SETUSER (.*)$")
                .matcher(Files.readString(DOCS.resolve("README.md")))
                .results()
                .map(match -> match.group(1))
                .findFirst()
                .orElseThrow();
        acl("SETUSER " + rule.replace("limiter on", USER + " on"));
        try {
            for (String engine : List.of("script", "lock")) {
                try (ConfigurableApplicationContext limited = connected(
                        "--spring.data.redis.username=" + USER,
                        "--spring.data.redis.password=password",
                        "--limiter.live.enabled=false",
                        "--limiter.namespace=shop",
                        "--limiter.engine=" + engine)) {
                    LimiterFactory limiters = limited.getBean(LimiterFactory.class);
                    everyKind(limiters.with(LimiterOptions.NONE.withFailurePolicy(FailurePolicy.THROW)), engine);
                }
            }
        } finally {
            acl("SETUSER " + USER + " reset");
        }
    }

    private static void everyKind(LimiterFactory limiters, String engine) {
        Duration hour = Duration.ofHours(1);
        for (Limit limit : List.of(
                TokenBucket.of(1e6, 1),
                FixedWindow.of(999, hour),
                SlidingLog.of(999, hour),
                SlidingCounter.of(999, hour))) {
            Limiter limiter = limiters.build("acl-" + engine + limit.getClass().getSimpleName(), limit);
            for (int i = 0; i < 3; i++) {
                decided(() -> assertThat(limiter.tryAcquire(KEY)).isTrue());
            }
            decided(() ->
                    LimitSet.of(limiter.on(KEY), limiter.on("other" + KEY)).decide(1));
            decided(() -> limiter.on(KEY).refund(1));
            decided(() -> limiter.on(KEY).reset());
        }
        ConcurrencyLimiter places = limiters.build("acl-" + engine, ConcurrencyLimit.of(900));
        decided(() -> places.tryAcquire(KEY).orElseThrow().close());
        decided(() -> places.on(KEY).reset());
    }

    /** A slow machine may need longer than a decision may take. */
    private static void decided(Runnable call) {
        Eventually.that(() -> {
            try {
                call.run();
            } catch (LimiterBackendException e) {
                throw new AssertionError(e);
            }
        });
    }

    private static void acl(String words) {
        RedisConnectionFactory connections = application.getBean(RedisConnectionFactory.class);
        try (RedisConnection connection = connections.getConnection()) {
            byte[][] arguments = Arrays.stream(words.split(" "))
                    .map(word -> word.getBytes(StandardCharsets.UTF_8))
                    .toArray(byte[][]::new);
            connection.execute("ACL", arguments);
        }
    }

    private static Set<String> metricsIn(String file) throws IOException {
        return Pattern.compile("\\blimiter_[a-z_]+")
                .matcher(Files.readString(DOCS.resolve(file)))
                .results()
                .map(match -> match.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String value(java.lang.reflect.Field field) {
        try {
            return (String) field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String scrape(ConfigurableApplicationContext context) throws Exception {
        return get(context, "prometheus").body();
    }
}
