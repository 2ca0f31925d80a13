package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.docs.SearchController;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.autoconfigure.LimiterOffAutoConfiguration;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.SnippetCheck;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** The snippets of the README and of docs/reference compile and run, and the lists there are complete. */
class ReadmeTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final RedisProcess REDIS = RedisProcess.start();
    private static ConfigurableApplicationContext application;

    @Import(SearchController.class)
    static class Snippets {}

    @BeforeAll
    static void start() {
        application = SampleApplication.application()
                .sources(Snippets.class)
                .run(
                        "--server.port=0",
                        "--spring.data.redis.port=" + REDIS.port(),
                        "--limiter.on-failure=throw",
                        "--limiter.failure.decision-timeout=2m",
                        "--limiter.limits.quotes.rate=50",
                        "--limiter.limits.orders.limit=1000",
                        "--limiter.limits.orders.per=1d",
                        "--limiter.limits.exports.kind=concurrent",
                        "--limiter.limits.exports.limit=2");
    }

    @AfterAll
    static void stop() {
        application.close();
        REDIS.close();
    }

    @Test
    void every_java_snippet_is_compiled() throws IOException {
        SnippetCheck.check(
                ROOT.resolve("README.md"),
                List.of(
                        ROOT.resolve("limiter-sample/src/test/java/io/limiter/docs/SearchController.java"),
                        ROOT.resolve("limiter-sample/src/test/java/io/limiter/docs/TestingSnippets.java")));
    }

    @Test
    void a_rejected_search_is_answered_as_shown() throws IOException {
        List<String> shown = matches(read("README.md"), "(?s)```console\\n(.*?)```");
        assertThat(shown).hasSize(1);
        List<String> lines = shown.get(0).lines().toList();
        String path = matches(lines.get(0), "'http://localhost:8080(/.*)'").get(0);
        String uri = "http://localhost:" + application.getEnvironment().getProperty("local.server.port") + path;
        ResponseEntity<String> response = get(uri);
        int granted = 0;
        // A slow machine gets further permits while it asks.
        while (response.getStatusCode().value() == 200 && granted < 1_000) {
            granted++;
            response = get(uri);
        }
        assertThat(granted).isGreaterThanOrEqualTo(10);
        assertThat(lines.get(1))
                .isEqualTo("HTTP/1.1 " + response.getStatusCode().value());
        for (String line : lines.subList(2, 6)) {
            String name = line.substring(0, line.indexOf(':'));
            assertThat(name + ": " + response.getHeaders().getFirst(name)).isEqualTo(line);
        }
        String[] body = lines.get(7).split("\\.\\.\\.");
        assertThat(response.getBody()).startsWith(body[0]).endsWith(body[1]);

        assertThat(SearchController.inCode(application.getBean(LimiterFactory.class), "acme"))
                .isTrue();
    }

    private static ResponseEntity<String> get(String uri) {
        // Not the client that it finds on the class path of whichever Spring Boot this is.
        return RestClient.builder()
                .requestFactory(new JdkClientHttpRequestFactory())
                .build()
                .get()
                .uri(uri)
                .exchange((request, response) -> ResponseEntity.status(response.getStatusCode())
                        .headers(response.getHeaders())
                        .body(new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8)));
    }

    @Test
    void the_programmatic_snippets_limit() {
        LimiterFactory limiters = application.getBean(LimiterFactory.class);
        ReadmeSnippets.everyLimiter(limiters);
        ReadmeSnippets.named(limiters);
        ReadmeSnippets.everyKind(limiters, limiters.build("kinds", 50, 2, 60));
    }

    @Test
    void every_property_is_listed_with_its_default_and_every_listed_one_exists() throws IOException {
        Set<String> listed = new TreeSet<>();
        for (String row : matches(read("docs/reference/settings.md"), "(?m)^\\| `(limiter\\.[^|]*\\|[^|]*)\\|")) {
            listed.add(row.replace("`", "").replaceAll("\\s*\\|\\s*", "=").strip());
        }
        assertThat(listed).isEqualTo(propertiesOfTheMetadata());
    }

    @Test
    void every_attribute_of_the_annotations_is_listed() throws IOException {
        for (Class<? extends Annotation> annotation :
                List.of(RateLimit.class, CountLimit.class, ConcurrentLimit.class)) {
            String table = matches(
                            read("docs/reference/annotations.md"),
                            "(?s)\\| `@" + annotation.getSimpleName() + "` \\|(.*?)\\n\\n")
                    .get(0);
            List<String> listed = matches(table, "`(\\w+)`(?=[^|]*\\|)");
            assertThat(listed)
                    .containsAll(Arrays.stream(annotation.getDeclaredMethods())
                            .map(Method::getName)
                            .toList());
        }
    }

    /** The commands that .ci/run runs, and why it does not run the others. */
    @Test
    void each_command_of_the_first_pages_is_run_or_has_a_reason_not_to() throws IOException {
        Set<String> run = Set.of("mvn -q -T2 verify", "mvn -pl limiter-sample -am -Dmaven.test.skip spring-boot:run");
        Map<String, String> notRun = Map.of(
                "mvn -q install -DskipTests",
                "it would change the local Maven repository of this machine; mvn -q -T2 verify builds the same artifacts",
                "docker run -d --name redis -p 6379:6379 redis:8-alpine",
                "it needs Docker; tests start servers of their own",
                "mvn spring-boot:run -Dspring-boot.run.arguments=--server.port=8081",
                "it starts the application of a reader");
        for (String page : List.of("README.md", "docs/getting-started.md", "docs/zh-CN/getting-started.md")) {
            for (String block : matches(read(page), "(?s)```bash\\n(.*?)```")) {
                assertThat(block.lines())
                        .as(page)
                        .allMatch(command -> run.contains(command) || notRun.containsKey(command));
            }
        }
        assertThat(Files.readString(ROOT.resolve(".ci/run")))
                .contains(
                        "mvn -q \"${options[@]}\" \"$@\"", "maven verify\n", "grep -m 1 'spring-boot:run$' README.md");
    }

    @Test
    void every_property_of_the_metadata_is_known_at_the_start() throws IOException {
        ApplicationContextRunner off = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LimiterOffAutoConfiguration.class))
                .withPropertyValues("limiter.enabled=false");
        String[] others = propertiesOfTheMetadata().stream()
                .map(property -> property.substring(0, property.indexOf('=') + 1))
                .filter(property -> !property.equals("limiter.enabled="))
                .toArray(String[]::new);
        off.withPropertyValues(others)
                .run(context -> assertThat(context.getStartupFailure()).isNull());
        off.withPropertyValues("limiter.console.enabld=true")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining("did you mean limiter.console.enabled?"));
    }

    private static Set<String> propertiesOfTheMetadata() throws IOException {
        Pattern property =
                Pattern.compile("(?s)\\{\\s*\"name\": \"(limiter\\.[^\"]+)\",\\s*\"type\": \"[^\"]+\",(.*?)\\}");
        Pattern defaultValue = Pattern.compile("\"defaultValue\": (\\[\\s*\\]|\"[^\"]*\"|[^,\\s]+)");
        Set<String> found = new TreeSet<>();
        for (URL metadata : Collections.list(
                ReadmeTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            String json = new String(metadata.openStream().readAllBytes(), StandardCharsets.UTF_8);
            int start = json.indexOf("\"properties\"");
            property.matcher(start < 0 ? "" : json.substring(start)).results().forEach(match -> {
                String value = defaultValue
                        .matcher(match.group(2))
                        .results()
                        .map(m -> m.group(1))
                        .findFirst()
                        .orElse("");
                found.add(match.group(1) + "=" + value.replaceAll("[\"\\[\\]\\s\\\\]", ""));
            });
        }
        return found;
    }

    private static String read(String page) throws IOException {
        return Files.readString(ROOT.resolve(page));
    }

    private static List<String> matches(String text, String regex) {
        return Pattern.compile(regex)
                .matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .collect(Collectors.toList());
    }
}
