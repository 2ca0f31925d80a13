package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
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
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The snippets of the README and of docs/reference compile and run, and the lists there are complete. */
class ReadmeTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final RedisProcess REDIS = RedisProcess.start();
    private static ConfigurableApplicationContext application;

    @Import({ReadmeSnippets.Sms.class, ReadmeSnippets.Search.class, ReadmeSnippets.Codes.class})
    static class Snippets {}

    @BeforeAll
    static void start() {
        application = SampleApplication.application()
                .sources(Snippets.class)
                .run(
                        "--server.port=0",
                        "--spring.data.redis.port=" + REDIS.port(),
                        "--limiter.failure.policy=throw",
                        "--limiter.failure.decision-timeout=2m");
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
                List.of(ROOT.resolve("limiter-sample/src/test/java/io/limiter/sample/ReadmeSnippets.java")));
    }

    @Test
    void the_annotated_snippets_limit() {
        ReadmeSnippets.Sms sms = application.getBean(ReadmeSnippets.Sms.class);
        sms.sendCode("0171");
        sms.sendCode("0172");
        assertThatThrownBy(() -> sms.sendCode("0171")).isInstanceOf(RateLimitExceededException.class);
        assertThat(application.getBean(ReadmeSnippets.Search.class)).isNotNull();
    }

    @Test
    void the_programmatic_snippets_limit() {
        ReadmeSnippets.Codes codes = application.getBean(ReadmeSnippets.Codes.class);
        codes.send("0171");
        codes.send("0172");
        assertThatThrownBy(() -> codes.send("0171")).isInstanceOf(RateLimitExceededException.class);
        assertThat(codes.sent).containsExactly("0171", "0172");
        LimiterFactory limiters = application.getBean(LimiterFactory.class);
        ReadmeSnippets.guava(limiters.withPrefix("guava:"));
        ReadmeSnippets.everyLimiter(limiters);
        ReadmeSnippets.everyKind(limiters, limiters.build("kinds", 50, 2, 60));
        LimiterFactory core = ReadmeSnippets.withoutBoot(application.getBean(RedisConnectionFactory.class));
        RateLimiter limiter = core.build("core", 1, 1, 60);
        assertThat(limiter.tryAcquire()).isTrue();
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
        assertThat(read("README.md")).contains("mvn -q -pl limiter-sample -am spring-boot:run", "mvn -q verify");
        assertThat(Files.readString(ROOT.resolve(".ci/run"))).contains("mvn -q \"$@\"", "build verify\n");
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
