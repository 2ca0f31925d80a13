package io.limiter.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.redis.own.Cooldown;
import io.limiter.testing.Eventually;
import io.limiter.testing.SnippetCheck;
import io.limiter.testing.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.web.client.RestClient;

/** What the pages show in Java is compiled and run. */
class SnippetsTest {

    private static final List<String> SOURCES = List.of(
            "limiter-sample/src/test/java/io/limiter/docs",
            "limiter-sample/src/test/java/io/limiter/sample",
            "examples/listeners/src/main/java/io/limiter/examples/listeners",
            "lab/benchmark/src/test/java/io/limiter/benchmark/migration");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({
        ChargingSnippets.class,
        GettingStartedSnippets.GreetingController.class,
        GettingStartedSnippets.Codes.class,
        KeysSnippets.class,
        LimitPagesSnippets.class,
        MigratedAnnotations.class,
        RecipesSnippets.class,
        RecipesSnippets.PlanConfiguration.class
    })
    static class Application {}

    static List<Path> pagesWithJava() throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path page : DocsTest.pages()) {
            boolean english = page.startsWith(DocsTest.ROOT.resolve("docs"))
                    && !page.startsWith(DocsTest.ROOT.resolve("docs/zh-CN"));
            if (english && Files.readString(page).contains("```java")) {
                found.add(page);
            }
        }
        return found;
    }

    @ParameterizedTest
    @MethodSource("pagesWithJava")
    void every_java_snippet_is_compiled(Path page) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String directory : SOURCES) {
            try (Stream<Path> files = Files.list(DocsTest.ROOT.resolve(directory))) {
                sources.addAll(files.filter(file -> !file.endsWith("SnippetsTest.java"))
                        .toList());
            }
        }
        SnippetCheck.check(page, sources);
    }

    @Test
    void the_annotated_snippets_start_and_answer() {
        try (ConfigurableApplicationContext application = start()) {
            String uri =
                    "http://localhost:" + application.getEnvironment().getProperty("local.server.port") + "/greeting";
            List<Integer> statuses = new ArrayList<>();
            long startNanos = System.nanoTime();
            for (int i = 0; i < 3; i++) {
                statuses.add(RestClient.create().get().uri(uri).exchange((request, response) -> {
                    if (response.getStatusCode().value() == 429) {
                        assertThat(response.getHeaders().getFirst("Retry-After"))
                                .isNotNull();
                    }
                    return response.getStatusCode().value();
                }));
            }
            // On a machine that is very busy, the third may come when there is another permit.
            boolean soon =
                    System.nanoTime() - startNanos < Duration.ofSeconds(10).toNanos();
            assertThat(statuses).startsWith(200, 200).endsWith(soon ? 429 : statuses.get(2));

            GettingStartedSnippets.Codes codes = application.getBean(GettingStartedSnippets.Codes.class);
            assertThat(codes.send("0171")).isEqualTo("sent");
            assertThat(codes.send("0171")).startsWith("not before PT");
            MigratedAnnotations migrated = application.getBean(MigratedAnnotations.class);
            assertThat(migrated.quote("ACME")).isEqualTo("42");
            assertThat(migrated.stock("bern")).isEqualTo(7);
            run(application.getBean(RecipesSnippets.class));
            run(application.getBean(ChargingSnippets.class));
        }
    }

    private static void run(ChargingSnippets calls) {
        for (int i = 0; i < 10; i++) {
            assertThat(calls.pay("ann", 100).status()).isEqualTo("DONE");
        }
        for (int i = 0; i < 5; i++) {
            assertThat(calls.pay("ann", 101).status()).isEqualTo("DENIED");
        }
        assertThatThrownBy(() -> calls.pay("ann", 100)).isInstanceOf(RateLimitExceededException.class);
        for (int i = 0; i < 100; i++) {
            assertThat(calls.export("acme", "few")).hasSize(3);
        }
        assertThat(calls.ask("acme", "why").text()).isEqualTo("answer to why");
        assertThat(calls.left("acme")).containsExactly(59L, 5_997L);
        calls.ask("acme", "x".repeat(7_000));
        assertThatThrownBy(() -> calls.ask("acme", "why")).isInstanceOf(RateLimitExceededException.class);
        assertThat(calls.left("acme")).containsExactly(58L, 0L);
    }

    private static void run(RecipesSnippets recipes) {
        for (int i = 0; i < 10; i++) {
            assertThat(recipes.login("ann", "right")).isTrue();
        }
        for (int i = 0; i < 5; i++) {
            assertThat(recipes.login("ann", "wrong")).isFalse();
        }
        assertThatThrownBy(() -> recipes.login("ann", "right")).isInstanceOf(RateLimitExceededException.class);
        assertThat(recipes.complete("acme", "why").text()).isEqualTo("answer to why");
        assertThatThrownBy(() -> recipes.complete("acme", "why"))
                .as("a call has used 90,000 tokens")
                .isInstanceOf(RateLimitExceededException.class);
        recipes.sendCode("0171");
        assertThatThrownBy(() -> recipes.sendCode("0171")).isInstanceOf(RateLimitExceededException.class);
        for (int i = 0; i < 50; i++) {
            assertThat(recipes.call("acme")).isEqualTo("answer for acme");
            assertThat(recipes.bulk("acme")).isEqualTo("answers for acme");
        }
        assertThat(recipes.call("ann")).isEqualTo("answer for ann");
        for (int i = 0; i < 1_500; i++) {
            assertThat(recipes.call("us")).as("without a limit").isEqualTo("answer for us");
        }
        int indexed = 0;
        try {
            for (; indexed < 1_000; indexed++) {
                assertThat(recipes.reindex("home")).isEqualTo("words of home");
            }
        } catch (RateLimitExceededException e) {
            assertThat(indexed).as("permits that the job got").isGreaterThanOrEqualTo(80);
        }
        for (int i = 0; i < 20; i++) {
            assertThat(recipes.search("tea")).as("which the job has left").isEqualTo("results for tea");
        }
        assertThat(recipes.askPartner("it")).isEqualTo("answer to it");
        recipes.onMessage("ann", "hello");
        recipes.nightlyImport(List.of("a row"));
        for (int i = 0; i < 3; i++) {
            assertThat(recipes.report("ann")).isEqualTo("report for ann");
        }
        // Warned of three reports by an event.
        Eventually.that(() -> assertThat(recipes.done()).containsExactly("0171", "hello", "a row", "ann"));
        List<String> letters = Collections.nCopies(2_500, "letter");
        assertThat(recipes.sendSome(letters)).as("those for the next run").hasSizeBetween(1_450, 1_500);
    }

    /** Java in a Chinese page is the same as in the English one, comments included, because only the English one is compiled. */
    @Test
    void chinese_pages_show_only_compiled_java() throws IOException {
        Pattern block = Pattern.compile("(?s)```java\n(.*?)```");
        try (Stream<Path> pages = Files.list(DocsTest.ROOT.resolve("docs/zh-CN"))) {
            for (Path page : pages.filter(Files::isRegularFile).toList()) {
                Path english =
                        DocsTest.ROOT.resolve("docs").resolve(page.getFileName().toString());
                for (MatchResult java :
                        block.matcher(Files.readString(page)).results().toList()) {
                    assertThat(Files.readString(english)).as(page.toString()).contains(java.group());
                }
            }
        }
    }

    @Test
    void the_other_snippets_run() {
        LimiterFactory limiters = new LocalLimiterFactory();
        assertThat(LimitPagesSnippets.severalLimits(limiters, "ann", "acme").tryAcquire())
                .isTrue();
        assertThat(LimitPagesSnippets.report(limiters, "ann", "june")).isEqualTo("written: june");
        assertThat(LimitPagesSnippets.logins(limiters).tryAcquire("ann")).isTrue();
        List<String> mails = new ArrayList<>();
        LimitPagesSnippets.invoices(limiters, "ann", mails::add);
        LimitPagesSnippets.invoices(limiters, "ann", mails::add);
        assertThat(mails).containsExactly("ann");
        assertThat(limiters.build("invoice-mail", new Cooldown(Duration.ofMinutes(5)))
                        .tryAcquire("ben"))
                .isTrue();
    }

    @Test
    void the_snippets_about_tests_pass() {
        TestingSnippets.readme();
        TestingSnippets.unit();
        TestingSnippets.clock();
        TestingSnippets.named();
        TestingSnippets.off();
        RateLimiter limiter = new LocalLimiterFactory()
                .build("sms", TokenBucket.per(2, Duration.ofHours(1)).withCapacity(2));
        TestingSnippets.peek(limiter);
        TestingSnippets.reset(limiter);
        assertThat(limiter.on("0171").tryAcquire(2)).isTrue();
    }

    @Test
    void the_core_needs_no_spring_boot() {
        TestRedis redis = TestRedis.shared();
        String phone = "docs-" + System.nanoTime();
        try (GettingStartedSnippets.PhoneCodes codes =
                new GettingStartedSnippets.PhoneCodes(redis.host(), redis.port())) {
            long startNanos = System.nanoTime();
            assertThat(codes.maySend(phone)).isTrue();
            boolean again = codes.maySend(phone);
            // On a machine that is very busy, one of the two may be decided without Redis.
            boolean inTime =
                    System.nanoTime() - startNanos < Duration.ofSeconds(1).toNanos();
            assertThat(again).isEqualTo(!inTime && again);
        }
    }

    @Test
    void the_snippet_of_live_limits_runs() {
        TestRedis redis = TestRedis.shared();
        LettuceConnectionFactory connections = new LettuceConnectionFactory(redis.host(), redis.port());
        connections.start();
        try (RedisRateLimiterFactory limiters =
                RedisRateLimiterFactory.builder(connections).build()) {
            LiveLimits live = LiveSnippets.withoutBoot(limiters);
            limiters.build("search", 50, 1, 60);
            LiveLimit stored = LiveSnippets.lowerAndRemove(live);
            assertThat(stored.settings().rate()).isEqualTo(5);
            assertThat(stored.expiresAt()).isPresent();
            assertThat(live.get("search")).isEmpty();
        } finally {
            connections.destroy();
        }
    }

    private static ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(Application.class)
                .run(
                        "--server.port=0",
                        "--limiter.type=local",
                        "--limiter.limits.api.plans.pro.rate=50",
                        "--limiter.limits.api.plans.enterprise.rate=500",
                        "--limiter.limits.api.plans.internal.unlimited=true",
                        "--limiter.limits.reports.warn-at=3");
    }
}
