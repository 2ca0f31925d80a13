package io.limiter.sample;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.docs.CodeController;
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

    @Import({CodeController.class, SearchController.class})
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
                        ROOT.resolve("limiter-sample/src/test/java/io/limiter/docs/CodeController.java"),
                        ROOT.resolve("limiter-sample/src/test/java/io/limiter/docs/SearchController.java")));
    }

    @Test
    void the_classes_answer_as_shown() throws IOException {
        String uri = "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
        List<String> shown = matches(read("README.md"), "(?s)```console\\n(.*?)```");
        assertThat(shown).hasSize(1);
        String[] calls = shown.get(0).split("\\$ curl -i -X POST http://localhost:8080");
        assertThat(calls).hasSize(3);
        List<String> expected = calls[1].lines().toList();
        ResponseEntity<String> granted = post(uri + expected.get(0));
        assertThat(granted.getStatusCode().value()).isEqualTo(status(expected));
        assertThat(granted.getHeaders().getFirst("RateLimit-Policy")).isEqualTo(header(expected, "RateLimit-Policy"));
        assertThat(granted.getHeaders().getFirst("RateLimit")).isEqualTo(header(expected, "RateLimit"));

        expected = calls[2].lines().toList();
        ResponseEntity<String> rejected = post(uri + expected.get(0));
        assertThat(rejected.getStatusCode().value()).isEqualTo(status(expected));
        assertThat(Integer.parseInt(requireNonNull(rejected.getHeaders().getFirst("Retry-After"))))
                .as("less on a slow machine")
                .isBetween(1, Integer.parseInt(header(expected, "Retry-After")));

        SearchController search = application.getBean(SearchController.class);
        assertThat(search.search("acme").getStatusCode().value()).isEqualTo(200);
        RateLimiter searches = application.getBean(LimiterFactory.class).build("searches", TokenBucket.perSecond(50));
        searches.on("acme").charge(10_000);
        assertThat(search.search("acme").getStatusCode().value()).isEqualTo(429);
    }

    private static ResponseEntity<String> post(String uri) {
        // Not the client that it finds on the class path of whichever Spring Boot this is.
        return RestClient.builder()
                .requestFactory(new JdkClientHttpRequestFactory())
                .build()
                .post()
                .uri(uri)
                .exchange((request, response) -> ResponseEntity.status(response.getStatusCode())
                        .headers(response.getHeaders())
                        .body(""));
    }

    private static int status(List<String> lines) {
        return Integer.parseInt(lines.get(1).replace("HTTP/1.1 ", ""));
    }

    private static String header(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name + ": "))
                .map(line -> line.substring(name.length() + 2))
                .findFirst()
                .orElseThrow();
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

    @Test
    void the_commands_are_those_of_the_build() throws IOException {
        assertThat(read("README.md"))
                .contains("mvn -q -pl limiter-sample -am -Dmaven.test.skip spring-boot:run", "mvn -q verify");
        assertThat(Files.readString(ROOT.resolve(".ci/run")))
                .contains("mvn -q \"${options[@]}\" \"$@\"", "maven verify\n");
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
