package io.limiter.spring.internal.actuate;

import static io.limiter.spring.internal.actuate.Operated.delete;
import static io.limiter.spring.internal.actuate.Operated.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimitExceededException;
import io.limiter.Share;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.key.KeyHash;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.testing.Eventually;
import io.limiter.testing.TestRedis;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What operators see of limits and keys, and do to them, over HTTP and on a real Redis. */
class LimitersEndpointTest {

    private static final Duration HOUR = Duration.ofHours(1);
    // A Redis that outlives this JVM may know the limits from the last run.
    private static final String KEY = UUID.randomUUID().toString();

    private static ConfigurableApplicationContext application;
    private static ConfigurableApplicationContext writable;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Limited limited() {
            return new Limited();
        }
    }

    static class Limited {

        @CountLimit(
                name = "tagged",
                limit = 1,
                per = "1h",
                limitType = LimitType.CUSTOM,
                key = {"#{tenant}", "#{user}"})
        public void tagged(String user, String tenant) {}

        @CountLimit(limit = 5, per = "1h", limitType = LimitType.CUSTOM, key = "#{user}")
        @CountLimit(limit = 1, per = "1h", limitType = LimitType.CUSTOM, key = "#{user}")
        public void twice(String user) {}

        @CountLimit(limit = 5, per = "1h")
        public void nameOfMoreThan200Characters(
                ConcurrentNavigableMap<?, ?> a,
                ConcurrentNavigableMap<?, ?> b,
                ConcurrentNavigableMap<?, ?> c,
                ConcurrentNavigableMap<?, ?> d) {}
    }

    @BeforeAll
    static void start() {
        application = Operated.connected(Application.class);
        LimiterFactory limiters = application.getBean(LimiterFactory.class);
        limiters.build("login", FixedWindow.of(1, HOUR)).tryAcquire(KEY);
        limiters.build("login", FixedWindow.of(1, HOUR)).tryAcquire(KEY);
        writable = Operated.connected(
                Application.class,
                "--management.endpoint.limiters.access=unrestricted",
                "--management.endpoint.limiters.show-keys=always",
                "--limiter.http.api.path=/api/**",
                "--limiter.http.api.key=header:X-Api-Key",
                "--limiter.http.api.limits.one.rate=0.001",
                "--limiter.http.api.limits.one.burst=2000s",
                "--limiter.http.api.limits.two.kind=fixed-window",
                "--limiter.http.api.limits.two.limit=2",
                "--limiter.http.api.limits.two.per=1d",
                "--limiter.http.open.name=/open/" + KEY + "/**",
                "--limiter.http.open.path=/open/" + KEY + "/**",
                "--limiter.http.open.key=all",
                "--limiter.http.open.limits.one.limit=1",
                "--limiter.http.open.limits.one.per=1d");
    }

    @AfterAll
    static void stop() {
        application.close();
        writable.close();
    }

    @Test
    void all_limits_are_listed_with_definitions_and_statistics() throws Exception {
        HttpResponse<String> all = get(application, "limiters");
        assertThat(all.statusCode()).isEqualTo(200);
        assertThat(all.body())
                .contains("\"prefix\":\"countLimit:\",\"name\":\"login\",\"kind\":\"FixedWindow\"")
                .contains("\"granted\":{\"redis\":1},\"rejected\":{\"redis\":1},\"errors\":0")
                .containsPattern(
                        "\"redis\":\\{\"calls\":\\d+,\"failed\":0,\"mean\":[0-9.]+,\"p50\":[0-9.]+,\"p99\":[0-9.]+,")
                .containsPattern("\"fallback\":\\{\"policy\":\"local\",\"instances\":\\d+,\"share\":[0-9.]+}")
                .contains("\"sizes\":{\"cachedRejections\":")
                .doesNotContain(KEY);
    }

    @Test
    void a_limit_that_warns_shows_when() throws Exception {
        LimiterFactory limiters = application.getBean(LimiterFactory.class);
        limiters.with(LimiterOptions.NONE.withWarnAt(Share.parse("75%")))
                .build("warns", FixedWindow.of(10, HOUR))
                .tryAcquire(KEY);
        String shown = "\"definition\":{\"capacity\":10,\"limit\":10,\"period\":3600.0,\"warnAt\":8}";
        assertThat(get(application, "limiters/warns").body()).contains(shown);
        assertThat(get(application, "limiters/warns?key=" + KEY).body()).contains(shown);
    }

    @Test
    void one_limit_has_its_hottest_keys_hashed_unless_they_are_to_be_shown() throws Exception {
        LimiterFactory counted = application.getBean(LimiterFactory.class);
        counted.build("hashed", FixedWindow.of(10, HOUR)).tryAcquire(KEY);
        String hashed = get(application, "limiters/hashed").body();
        assertThat(hashed)
                .containsPattern("\"hottestKeys\":\\[\\{\"key\":\"[0-9a-f]{16}\",\"requests\":\\d}]")
                .doesNotContain(KEY);
        String hash = hashed.replaceFirst(".*\"hottestKeys\":\\[\\{\"key\":\"([0-9a-f]{16}).*", "$1");
        assertThat(get(application, "limiters/hashed").body())
                .as("the same key is shown alike")
                .contains(hash);
        assertThat(new KeyHash().of(KEY)).as("in no other application").isNotEqualTo(new KeyHash().of(KEY));
        LimiterFactory limiters = writable.getBean(LimiterFactory.class);
        limiters.build("shown", FixedWindow.of(10, HOUR)).tryAcquire(KEY);
        assertThat(get(writable, "limiters/countLimit:shown").body())
                .contains("\"hottestKeys\":[{\"key\":\"" + KEY + "\",\"requests\":1}]");
        assertThat(get(application, "limiters/unknown").statusCode()).isEqualTo(404);
    }

    @Test
    void limits_whose_names_are_too_long_for_live_limits_are_shown() throws Exception {
        String name = "n".repeat(201);
        writable.getBean(LimiterFactory.class)
                .build(name, FixedWindow.of(1, HOUR))
                .tryAcquire(KEY);
        HttpResponse<String> all = get(writable, "limiters");
        assertThat(all.statusCode()).isEqualTo(200);
        assertThat(all.body()).contains(name, "nameOfMoreThan200Characters");
        remains(0, "limiters/" + name + "?key=" + KEY);
    }

    @Test
    void a_key_shows_when_its_period_ends() throws Exception {
        LimiterFactory limiters = writable.getBean(LimiterFactory.class);
        Limiter monthly = limiters.build("monthly", FixedWindow.of(3, CalendarPeriod.MONTH));
        Instant end = monthly.decide(KEY).periodEnd().orElseThrow();
        assertThat(get(writable, "limiters/monthly?key=" + KEY).body())
                .contains("\"periodEnd\":\"" + end + "\"")
                .contains("\"per\":\"month\",\"zone\":\"UTC\"");
    }

    @Test
    void bans_are_shown_and_ended_by_a_reset_of_the_key_or_of_its_hash() throws Exception {
        Limiter limiter = writable.getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withBan(Ban.after(2, Duration.ofSeconds(60))))
                .build("banning", FixedWindow.of(1, HOUR));
        for (String named : List.of("key=" + KEY, "banned=" + KEY)) {
            for (int i = 0; i < 3; i++) {
                limiter.tryAcquire(KEY);
            }
            Eventually.that(() -> assertThat(get(writable, "limiters/banning").body())
                    .contains("\"ban\":{\"after\":2,\"within\":60.0,\"lasting\":300.0,\"atMost\":86400.0}")
                    .containsPattern("\"bans\":[12],\"bansInEffect\":\\[\\{\"key\":\"" + KEY
                            + "\",\"endsIn\":(300.0|29[0-9.]+)}]"));
            assertThat(get(writable, "limiters/banning?key=" + KEY).body())
                    .startsWith("{\"granted\":false,\"limit\":1,\"remaining\":0,\"retryAfter\":")
                    .contains("\"source\":\"override\"");
            assertThat(delete(writable, "limiters/banning?" + named).statusCode())
                    .as(named)
                    .isEqualTo(204);
            assertThat(get(writable, "limiters/banning").body()).contains("\"bansInEffect\":[]");
            assertThat(get(writable, "limiters/banning?key=" + KEY).body()).startsWith("{\"granted\":true");
        }
        assertThat(delete(writable, "limiters/banning?banned=" + KEY).body())
                .contains("banned must be a key of bansInEffect of this instance, as it is shown there, was '" + KEY
                        + "'");
        assertThat(delete(writable, "limiters/banning?key=x&banned=x").statusCode())
                .isEqualTo(400);
        assertThat(get(writable, "limiters").body()).contains("\"bansInEffect\":null");
    }

    @Test
    void the_most_rejected_keys_are_hashed_unless_they_are_to_be_shown() throws Exception {
        for (ConfigurableApplicationContext each : List.of(application, writable)) {
            Limiter limiter = each.getBean(LimiterFactory.class).build("rejects", FixedWindow.of(1, HOUR));
            limiter.tryAcquire(KEY);
            limiter.tryAcquire(KEY);
        }
        String rejections = "\",\"rejections\":\\d,\"secondsAgo\":\\[[0-9.,]+]}]";
        String path = "limiters/rejects";
        assertThat(get(application, path).body())
                .containsPattern("\"rejectedKeys\":\\[\\{\"key\":\"[0-9a-f]{16}" + rejections);
        assertThat(get(writable, path).body()).containsPattern("\"rejectedKeys\":\\[\\{\"key\":\"" + KEY + rejections);
        assertThat(get(application, path + "?key=" + KEY).body())
                .containsPattern("\"plan\":null,\"rejections\":\\{\"key\":null,\"rejections\":[12],")
                .doesNotContain(KEY);
        assertThat(get(application, path + "?key=other").body()).contains("\"rejections\":null");
    }

    @Test
    void a_key_is_shown_and_not_reset_by_the_read_only_endpoint() throws Exception {
        assertThat(get(application, "limiters/login?key=" + KEY).body())
                .contains("\"granted\":false,\"limit\":1,\"remaining\":0,\"retryAfter\":")
                .contains("\"source\":\"redis\",\"definition\":{\"capacity\":1,\"limit\":1,\"period\":3600.0}");
        assertThat(delete(application, "limiters/login?key=" + KEY).statusCode())
                .isEqualTo(405);
        assertThat(get(application, "limiters/login?key=" + KEY).body()).contains("\"remaining\":0");
        assertThat(get(application, "limiters/login?key=").statusCode()).isEqualTo(400);
    }

    @Test
    void the_writable_endpoint_resets_keys_and_own_permits() throws Exception {
        LimiterFactory limiters = writable.getBean(LimiterFactory.class);
        String key = KEY + "/a/b";
        String reset = "reset-" + KEY;
        String places = "places-" + KEY;
        limiters.build(reset, FixedWindow.of(1, HOUR)).tryAcquire(key);
        limiters.build(reset, FixedWindow.of(1, HOUR)).tryAcquire();
        limiters.build(places, ConcurrencyLimit.of(1)).tryAcquire(key);
        limiters.build(places, ConcurrencyLimit.of(1)).tryAcquire();
        for (String limit : List.of(reset, places)) {
            String path = "limiters/" + limit;
            remains(0, path + "?key=" + key);
            resets(path + "?key=" + key);
            remains(1, path + "?key=" + key);
            Eventually.that(
                    () -> assertThat(get(writable, path).body()).containsPattern("\"own\":\\{[^}]*\"remaining\":0"));
            resets(path);
            Eventually.that(
                    () -> assertThat(get(writable, path).body()).containsPattern("\"own\":\\{[^}]*\"remaining\":1"));
        }
        assertThat(delete(writable, "limiters/unknown").statusCode()).isEqualTo(404);
    }

    @Test
    void both_limits_of_a_rule_are_shown_and_reset_where_its_requests_take_permits() throws Exception {
        String caller = KEY + "/rule";
        String other = "two";
        assertThat(call("/api/x", caller)).isEqualTo(404);
        assertThat(call("/api/x", caller)).isEqualTo(404);
        assertThat(call("/api/x", caller)).isEqualTo(429);
        assertThat(call("/api/x", other)).isNotEqualTo(429);
        String left = get(writable, "limiters/api/one?key=" + other).body();
        for (String limit : List.of("api/one", "api/two", "httpLimit:api/two")) {
            remains(0, "limiters/" + limit + "?key=" + caller);
        }
        resets("limiters/api/two");
        assertThat(get(writable, "limiters/api/one?key=" + other).body())
                .as("the key two of another limit")
                .contains(left.substring(0, left.indexOf("\"retryAfter\"")));
        resets("limiters/api/one?key=" + caller);
        resets("limiters/api/two?key=" + caller);
        for (String limit : List.of("api/one", "api/two")) {
            remains(2, "limiters/" + limit + "?key=" + caller);
        }
        assertThat(call("/api/x", caller)).isEqualTo(404);
    }

    @Test
    void a_rejection_that_is_repeated_without_redis_shows_the_same_policies() throws Exception {
        String caller = KEY + "/policies";
        call("/api/x", caller);
        call("/api/x", caller);
        String first = policies(caller);
        assertThat(first).isEqualTo("\"api/one\";q=2;w=2000, \"api/two\";q=2;w=86400");
        for (int i = 0; i < 3; i++) {
            assertThat(policies(caller)).isEqualTo(first);
        }
        assertThat(get(writable, "limiters/api/two").body()).containsPattern("\"rejection-cache\":[3-9]");
    }

    private static String policies(String caller) throws Exception {
        HttpResponse<Void> answer = answer("/api/x", caller);
        assertThat(answer.statusCode()).isEqualTo(429);
        return answer.headers().firstValue("RateLimit-Policy").orElseThrow();
    }

    @Test
    void a_rule_may_have_a_path_as_its_name() throws Exception {
        String path = "open/" + KEY + "/**";
        assertThat(call("/open/" + KEY + "/x", KEY)).isEqualTo(404);
        assertThat(call("/open/" + KEY + "/x", KEY)).isEqualTo(429);
        assertThat(get(writable, "limiters/" + path).body())
                .contains("\"name\":\"/" + path + "\"")
                .containsPattern("\"own\":\\{\"granted\":false");
        resets("limiters/" + path);
        assertThat(call("/open/" + KEY + "/x", KEY)).isEqualTo(404);
    }

    @Test
    void the_second_annotation_of_a_method_is_named_as_it_is_listed() throws Exception {
        Limited limited = writable.getBean(Limited.class);
        limited.twice(KEY);
        String name = Limited.class.getName().replace("$", "%24") + ".twice(java.lang.String)/2";
        remains(0, "limiters/" + name + "?key=" + KEY);
        resets("limiters/" + name + "?key=" + KEY);
        remains(1, "limiters/" + name + "?key=" + KEY);
    }

    @Test
    void permits_of_a_key_path_are_found_by_its_text() throws Exception {
        Limited limited = writable.getBean(Limited.class);
        limited.tagged(KEY, "acme");
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limited.tagged(KEY, "acme"));
        remains(0, "limiters/tagged?key=acme%23" + KEY);
        remains(1, "limiters/tagged?key=other%23" + KEY);
        resets("limiters/tagged?key=acme%23" + KEY);
        remains(1, "limiters/tagged?key=acme%23" + KEY);
        limited.tagged(KEY, "acme");
        assertThat(get(writable, "limiters/tagged").body()).contains("{\"key\":\"acme#" + KEY + "\"");
        remains(1, "limiters/tagged?key=" + KEY);
        HttpResponse<String> blank = get(writable, "limiters/tagged?key=acme%23");
        assertThat(blank.statusCode()).isEqualTo(400);
        assertThat(blank.body()).contains("no key of a key path must be blank");
    }

    @Test
    void permits_with_another_hash_tag_are_found_too() throws Exception {
        writable.getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withHashTag(HashTag.WHOLE_KEY))
                .build("whole", FixedWindow.of(1, HOUR))
                .on("a#b")
                .tryAcquire(KEY);
        remains(0, "limiters/whole?key=a%2523b%23" + KEY);
        remains(1, "limiters/whole?key=a%23b%23" + KEY);
    }

    @Test
    void leases_of_a_key_path_are_found_by_its_text() throws Exception {
        ConcurrencyLimiter held = writable.getBean(LimiterFactory.class)
                .build("held", ConcurrencyLimit.of(1))
                .on("acme")
                .on(KEY);
        assertThat(held.tryAcquire()).isPresent();
        remains(0, "limiters/held?key=acme%23" + KEY);
        remains(1, "limiters/held?key=other%23" + KEY);
        resets("limiters/held?key=acme%23" + KEY);
        remains(1, "limiters/held?key=acme%23" + KEY);
    }

    @Test
    void without_redis_a_key_says_so_and_answers_by_the_policy_of_its_limit() throws Exception {
        try (ConfigurableApplicationContext alone = Operated.start(
                Application.class,
                "--spring.data.redis.port=" + TestRedis.closedPort(),
                "--management.endpoint.limiters.access=unrestricted",
                "--limiter.on-failure=throw")) {
            LimiterFactory limiters = alone.getBean(LimiterFactory.class);
            limiters.build("throws", FixedWindow.of(1, HOUR));
            limiters.with(LimiterOptions.NONE.withFailurePolicy(FailurePolicy.DENY))
                    .build("denies", FixedWindow.of(1, HOUR));
            HttpResponse<String> unknown = get(alone, "limiters/throws?key=" + KEY);
            assertThat(unknown.statusCode()).isEqualTo(503);
            assertThat(unknown.body()).contains("\"problem\":").doesNotContain(KEY);
            assertThat(get(alone, "limiters/throws").body()).contains("\"own\":null");
            List<AuditEvent> audits = new CopyOnWriteArrayList<>();
            alone.addApplicationListener(new ApplicationListener<AuditApplicationEvent>() {
                @Override
                public void onApplicationEvent(AuditApplicationEvent event) {
                    audits.add(event.getAuditEvent());
                }
            });
            assertThat(delete(alone, "limiters/throws?key=" + KEY).statusCode()).isEqualTo(503);
            assertThat(audits)
                    .singleElement()
                    .satisfies(audit -> assertThat(audit.getData()).containsEntry("result", "failed"));
            assertThat(get(alone, "limiters/denies?key=" + KEY).body())
                    .contains("\"granted\":false", "\"source\":\"policy\"");
        }
    }

    /** A slow machine may need longer than a decision may take. */
    private static void remains(int permits, String path) {
        Eventually.that(() -> assertThat(get(writable, path).body())
                .startsWith("{\"granted\":" + (permits > 0))
                .contains("\"remaining\":" + permits));
    }

    private static void resets(String path) {
        Eventually.that(() -> assertThat(delete(writable, path).statusCode()).isEqualTo(204));
    }

    private static int call(String path, String apiKey) throws Exception {
        return answer(path, apiKey).statusCode();
    }

    private static HttpResponse<Void> answer(String path, String apiKey) throws Exception {
        String port = writable.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .header("X-Api-Key", apiKey)
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding());
    }
}
