package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Annotations and rules of an application whose user has the rights on the page, and no others. */
class RedisRightsTest {

    private static final List<String> KINDS =
            List.of("token-bucket", "fixed-window", "sliding-log", "sliding-counter", "leaky-bucket", "leaky-queue");

    static class Service {

        @RateLimit(rate = 1000)
        @CountLimit(limit = 1000, per = "1h")
        @ConcurrentLimit(limit = 1)
        public String limited() {
            return "done";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Service service() {
            return new Service();
        }

        @Bean
        ServletRegistrationBean<HttpServlet> calls(Service service) {
            HttpServlet calls = new HttpServlet() {
                private static final long serialVersionUID = 1L;

                @Override
                protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                    response.getWriter().write(service.limited());
                }
            };
            return new ServletRegistrationBean<>(calls, "/*");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"script", "lock"})
    void the_documented_rights_are_enough_for_annotations_and_rules_of_every_kind(String engine) throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            RedisClient client = RedisClient.create("redis://127.0.0.1:" + redis.port());
            try (StatefulRedisConnection<String, String> operator = client.connect()) {
                allow(operator, line());
                allow(operator, "ACL SETUSER limiter " + documented("`(~\\{limiter:live\\*[^`]*)`"));
                try (ConfigurableApplicationContext context = start(redis.port(), engine)) {
                    for (String kind : KINDS) {
                        assertThat(get(context, "/" + kind)).as(kind).isEqualTo("200 done");
                    }
                    assertThat(get(context, "/two")).isEqualTo("200 done");
                    changesLive(context.getBean(LiveLimits.class));
                    // Spring Boot's own contributor asks Redis, too.
                    assertThat(get(context, "local.management.port", "/actuator/health"))
                            .startsWith("200 ")
                            .contains("\"status\":\"UP\"");
                }
                assertThat(operator.sync().aclLog())
                        .extracting(entry -> entry.get("reason") + " " + entry.get("object"))
                        // Which clients do without.
                        .allMatch(entry -> entry.startsWith("command client"));
            } finally {
                client.shutdown();
            }
        }
    }

    private static void changesLive(LiveLimits live) {
        LiveLimit stored = live.put("/two", LiveSettings.NONE.withEnforce(false), ChangeNote.of("ann", ""), 0);
        live.rollBack(stored.version(), ChangeNote.of("ann", ""), stored.version());
        assertThat(live.list()).isEmpty();
        // The first call has the instances report.
        Eventually.that(() -> assertThat(live.fleet().watch().instances()).hasSize(1));
    }

    private static void allow(StatefulRedisConnection<String, String> operator, String command) {
        CommandArgs<String, String> words = new CommandArgs<>(StringCodec.UTF8);
        Arrays.stream(command.substring("ACL ".length()).split(" ")).forEach(words::add);
        assertThat(operator.sync().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), words))
                .isEqualTo("OK");
    }

    @Test
    void the_documented_rights_name_the_prefixes_of_all_annotations_and_of_rules() throws IOException {
        String patterns = String.join(
                " ",
                "~shop:rateLimit:*",
                "~shop:countLimit:*",
                "~shop:concurrentLimit:*",
                "~shop:" + HttpRuleSettings.PREFIX + "*",
                "~limiter:probe:*");
        assertThat(line()).contains(" resetkeys " + patterns + " resetchannels ");
    }

    private static ConfigurableApplicationContext start(int port, String engine) {
        StringBuilder rules = new StringBuilder();
        for (String kind : KINDS) {
            String rule = " --limiter.http." + kind + ".";
            String limit = rule + "limits.one.";
            rules.append(rule)
                    .append("path=/")
                    .append(kind)
                    .append(limit)
                    .append("kind=")
                    .append(kind);
            rules.append(kind.equals("token-bucket") || kind.startsWith("leaky") ? limit + "rate=1000" : "");
            rules.append(
                    kind.equals("token-bucket")
                            ? ""
                            : limit + (kind.startsWith("leaky") ? "capacity" : "limit") + "=1000");
            rules.append(kind.endsWith("w") || kind.startsWith("sliding") ? limit + "per=3600" : "");
        }
        String two = " --limiter.http.both.";
        rules.append(two).append("path=/two").append(two).append("limits.one.rate=1000");
        rules.append(two).append("limits.two.limit=1000").append(two).append("limits.two.per=3600");
        SpringApplication spring = new SpringApplication(Application.class);
        spring.setWebApplicationType(WebApplicationType.SERVLET);
        return spring.run(
                ("--server.port=0 --management.server.port=0 --spring.application.name=shop --spring.data.redis.port="
                                + port
                                + " --spring.data.redis.username=limiter --spring.data.redis.password=password"
                                // A decision that Redis does not make is an error, and a slow machine is no outage.
                                + " --limiter.on-failure=throw --limiter.failure.decision-timeout=2m --limiter.engine="
                                + engine
                                + rules)
                        .split(" "));
    }

    private static String get(ConfigurableApplicationContext context, String path) throws Exception {
        return get(context, "local.server.port", path);
    }

    private static String get(ConfigurableApplicationContext context, String portProperty, String path)
            throws Exception {
        String port = context.getEnvironment().getRequiredProperty(portProperty);
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .timeout(Duration.ofMinutes(3))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }

    private static String line() throws IOException {
        return documented("(?m)^(ACL SETUSER .*)$");
    }

    private static String documented(String pattern) throws IOException {
        Matcher line =
                Pattern.compile(pattern).matcher(Files.readString(Path.of("..", "docs", "operations", "README.md")));
        assertThat(line.find()).isTrue();
        return line.group(1);
    }
}
