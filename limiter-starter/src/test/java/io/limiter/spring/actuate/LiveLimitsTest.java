package io.limiter.spring.actuate;

import static io.limiter.spring.actuate.Operated.delete;
import static io.limiter.spring.actuate.Operated.get;
import static io.limiter.spring.actuate.Operated.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.ChangeNote;
import io.limiter.live.InstanceReport;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.key.LimitResolver;
import io.limiter.spring.live.LiveLimitChangedEvent;
import io.limiter.testing.Eventually;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Two applications on one Redis, whose limits an operator changes at the endpoint of one of them. */
class LiveLimitsTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final int OWN_LIMIT = 3;
    private static final int TRIES = 6;

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final ObjectMapper JSON = new ObjectMapper();
    // A Redis that outlives this JVM may know the names of the last run.
    private static final String RUN = UUID.randomUUID().toString();

    private static ConfigurableApplicationContext one;
    private static ConfigurableApplicationContext other;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Limited limited() {
            return new Limited();
        }

        @Bean
        Events events() {
            return new Events();
        }

        @Bean
        LimitResolver resolver() {
            return call -> String.valueOf(call.key()).startsWith("premium") ? new FixedWindow(5, DAY, null) : null;
        }
    }

    static class Events {

        final List<LiveLimitChangedEvent> changes = new CopyOnWriteArrayList<>();
        final List<AuditApplicationEvent> audits = new CopyOnWriteArrayList<>();

        @EventListener
        void changed(LiveLimitChangedEvent event) {
            changes.add(event);
        }

        @EventListener
        void audited(AuditApplicationEvent event) {
            audits.add(event);
        }
    }

    static class Limited {

        @CountLimit(
                name = "live-annotated",
                limit = OWN_LIMIT,
                period = "1d",
                limitType = LimitType.CUSTOM,
                key = "#{key}")
        public void count(String key) {}

        @CountLimit(
                name = "live-resolved",
                limit = OWN_LIMIT,
                period = "1d",
                limitType = LimitType.CUSTOM,
                key = "#{key}",
                resolver = "resolver")
        public void resolved(String key) {}

        @CountLimit(name = "live-planned", limit = OWN_LIMIT, period = "1d", key = "#{key}", plan = "#{plan}")
        public void planned(String key, String plan) {}

        @CountLimit(name = "live-configured", limit = 9, period = "1h")
        public void configured() {}

        @CountLimit(name = "live-refreshed", limit = 9, period = "1h")
        public void refreshed() {}

        @RateLimit(
                name = "live-timeout",
                rate = 20,
                capacity = 1,
                timeout = "1m",
                limitType = LimitType.CUSTOM,
                key = "#{key}")
        public void waits(String key) {}

        @ConcurrentLimit(name = "live-held", limit = 1, limitType = LimitType.CUSTOM, key = "#{key}")
        public void held(String key, Runnable inside) {
            inside.run();
        }
    }

    /** A limit of {@link #OWN_LIMIT} permits for each key. */
    enum Kind {
        ANNOTATED("live-annotated") {
            @Override
            boolean tries(ConfigurableApplicationContext context, String key) {
                return passes(() -> context.getBean(Limited.class).count(key));
            }
        },
        PROGRAMMATIC("live-code") {
            @Override
            boolean tries(ConfigurableApplicationContext context, String key) {
                return context.getBean(LimiterFactory.class)
                        .build(name, FixedWindow.of(OWN_LIMIT, DAY))
                        .tryAcquire(key);
            }
        },
        HTTP_RULE("live-http") {
            @Override
            boolean tries(ConfigurableApplicationContext context, String key) throws Exception {
                return call(context, "/live/x", key) != 429;
            }
        },
        SECOND_OF_HTTP_RULE("live-several/two") {
            @Override
            boolean tries(ConfigurableApplicationContext context, String key) throws Exception {
                return call(context, "/several/x", key) != 429;
            }
        };

        final String name;

        Kind(String name) {
            this.name = name;
        }

        abstract boolean tries(ConfigurableApplicationContext context, String key) throws Exception;

        /** How many of {@link #TRIES} calls are granted. */
        int granted(ConfigurableApplicationContext context) throws Exception {
            String key = UUID.randomUUID().toString();
            int granted = 0;
            for (int i = 0; i < TRIES; i++) {
                granted += tries(context, key) ? 1 : 0;
            }
            return granted;
        }
    }

    @BeforeAll
    static void start() {
        one = application();
        other = application();
    }

    private static ConfigurableApplicationContext application() {
        return Operated.connected(
                Application.class,
                "--management.endpoint.limiters.access=unrestricted",
                "--management.endpoint.livelimits.access=unrestricted",
                "--limiter.live.poll-interval=100ms",
                "--spring.application.name=live-test",
                "--limiter.limits.live-configured.limit=8",
                "--limiter.limits.live-planned.plans.pro.limit=" + (OWN_LIMIT + 1),
                "--limiter.http.live-http.path=/live/**",
                "--limiter.http.live-http.key=header:X-Api-Key",
                "--limiter.http.live-http.limits.one.limit=" + OWN_LIMIT,
                "--limiter.http.live-http.limits.one.period=1d",
                "--limiter.http.live-several.path=/several/**",
                "--limiter.http.live-several.key=header:X-Api-Key",
                "--limiter.http.live-several.limits.one.limit=100",
                "--limiter.http.live-several.limits.one.period=1d",
                "--limiter.http.live-several.limits.two.limit=" + OWN_LIMIT,
                "--limiter.http.live-several.limits.two.period=1d",
                "--limiter.http.live-queue.path=/queue/**",
                "--limiter.http.live-queue.key=header:X-Api-Key",
                "--limiter.http.live-queue.limits.one.kind=leaky-queue",
                "--limiter.http.live-queue.limits.one.rate=20",
                "--limiter.http.live-queue.limits.one.limit=1");
    }

    @AfterEach
    void remove() {
        LiveLimits live = one.getBean(LiveLimits.class);
        for (LiveLimit each : live.list()) {
            live.remove(each.name(), ChangeNote.of("test", ""), each.version());
        }
    }

    @AfterAll
    static void stop() {
        one.close();
        other.close();
    }

    @ParameterizedTest
    @EnumSource
    void a_lower_live_limit_applies_here_at_once_and_soon_in_other_instances(Kind kind) throws Exception {
        assertThat(kind.granted(one)).isEqualTo(OWN_LIMIT);
        changed(kind.name, "{\"limit\":1,\"who\":\"ann\"}");
        assertThat(kind.granted(one)).isOne();
        Eventually.that(() -> assertThat(kind.granted(other)).isOne());
    }

    @ParameterizedTest
    @EnumSource
    void a_higher_live_limit_replaces_a_lower_one(Kind kind) throws Exception {
        assertThat(kind.granted(one)).isEqualTo(OWN_LIMIT);
        long version = changed(kind.name, "{\"limit\":1,\"who\":\"ann\"}");
        changed(kind.name, "{\"limit\":4,\"who\":\"ann\",\"version\":" + version + "}");
        assertThat(kind.granted(one)).isEqualTo(4);
        Eventually.that(() -> assertThat(kind.granted(other)).isEqualTo(4));
    }

    @ParameterizedTest
    @EnumSource
    void without_its_live_limit_a_limit_is_its_own_again(Kind kind) throws Exception {
        assertThat(kind.granted(one)).isEqualTo(OWN_LIMIT);
        long version = changed(kind.name, "{\"limit\":1,\"who\":\"ann\"}");
        Eventually.that(() -> assertThat(kind.granted(other)).isOne());
        removed(kind.name, version);
        assertThat(kind.granted(one)).isEqualTo(OWN_LIMIT);
        Eventually.that(() -> assertThat(kind.granted(other)).isEqualTo(OWN_LIMIT));
    }

    @ParameterizedTest
    @EnumSource(names = {"ANNOTATED", "HTTP_RULE", "SECOND_OF_HTTP_RULE"})
    void a_live_limit_switches_shadow_mode_on_until_it_is_removed(Kind kind) throws Exception {
        long version = changed(kind.name, "{\"enforce\":false,\"who\":\"ann\"}");
        assertThat(kind.granted(one)).isEqualTo(TRIES);
        Eventually.that(() -> assertThat(kind.granted(other)).isEqualTo(TRIES));
        assertThat(get(one, "limiters/" + kind.name).body())
                .as("it is still evaluated")
                .containsPattern("\"rejected\":\\{[^}]*\"re");
        removed(kind.name, version);
        assertThat(kind.granted(one)).isEqualTo(OWN_LIMIT);
        Eventually.that(() -> assertThat(kind.granted(other)).isEqualTo(OWN_LIMIT));
    }

    @Test
    void a_live_limit_changes_the_numbers_of_a_plan_or_of_the_limit_itself() throws Exception {
        assertThat(grantedUnder("pro", one)).isEqualTo(OWN_LIMIT + 1);
        changed("live-planned.pro", "{\"limit\":2,\"who\":\"ann\"}");
        assertThat(grantedUnder("pro", one)).isEqualTo(2);
        Eventually.that(() -> assertThat(grantedUnder("pro", other)).isEqualTo(2));
        changed("live-planned", "{\"limit\":1,\"who\":\"ann\"}");
        assertThat(grantedUnder("none", one)).isOne();
        assertThat(grantedUnder("pro", one)).as("has numbers of its own").isEqualTo(2);
    }

    @Test
    void a_live_limit_switches_shadow_mode_on_for_all_plans_and_one_of_a_plan_for_this() throws Exception {
        changed("live-planned", "{\"enforce\":false,\"who\":\"ann\"}");
        assertThat(grantedUnder("none", one)).isEqualTo(TRIES);
        assertThat(grantedUnder("pro", one)).isEqualTo(TRIES);
        changed("live-planned.pro", "{\"enforce\":true,\"who\":\"ann\"}");
        assertThat(grantedUnder("none", one)).isEqualTo(TRIES);
        assertThat(grantedUnder("pro", one)).isEqualTo(OWN_LIMIT + 1);
    }

    @Test
    void the_endpoint_has_each_plan_by_its_name_and_the_permits_of_its_limit() throws Exception {
        String key = UUID.randomUUID().toString();
        one.getBean(Limited.class).planned(key, "none");
        JsonNode plan = JSON.readTree(get(one, "limiters/live-planned.pro").body());
        assertThat(plan.path("name").asText()).isEqualTo("live-planned.pro");
        assertThat(plan.path("definedBy").asText()).isEqualTo("limiter.limits.live-planned");
        assertThat(plan.path("definition").path("limit").asInt()).isEqualTo(OWN_LIMIT + 1);
        JsonNode ofKey =
                JSON.readTree(get(one, "limiters/live-planned.pro?key=" + key).body());
        assertThat(ofKey.path("remaining").asInt()).as("%s", ofKey).isEqualTo(OWN_LIMIT);
        assertThat(ofKey.path("plan").asText()).isEqualTo("pro");
        assertThat(get(one, "limiters").body()).contains("\"name\":\"live-planned.pro\"");
    }

    @Test
    void under_the_name_of_a_plan_a_key_is_banned_whatever_its_plan() throws Exception {
        String key = UUID.randomUUID().toString();
        Limited limited = one.getBean(Limited.class);
        limited.planned(key, "pro");
        String body = "{\"key\":\"" + key + "\",\"who\":\"ann\",";
        long banned = changed("live-planned.pro", body + "\"access\":\"banned\"}");
        for (String plan : List.of("pro", "none")) {
            assertThat(passes(() -> limited.planned(key, plan))).as(plan).isFalse();
            Eventually.that(() -> assertThat(
                            passes(() -> other.getBean(Limited.class).planned(key, plan)))
                    .isFalse());
        }
        for (String name : List.of("live-planned.pro", "live-planned")) {
            JsonNode shown =
                    JSON.readTree(get(one, "limiters/" + name + "?key=" + key).body());
            assertThat(shown.at("/live/version").asLong()).as(name).isEqualTo(banned);
            assertThat(get(one, "livelimits/" + name).body()).contains("\"version\":" + banned);
        }
        assertThat(one.getBean(Events.class).audits)
                .map(event -> event.getAuditEvent().getData())
                .filteredOn(data -> Long.valueOf(banned).equals(data.get("version")))
                .singleElement()
                .satisfies(data -> assertThat(data).containsEntry("limit", "live-planned"));
        HttpResponse<String> back =
                post(one, "livelimits", "{\"who\":\"ann\",\"rollBack\":" + banned + ",\"version\":" + banned + "}");
        assertThat(back.statusCode()).as(back.body()).isEqualTo(200);
        limited.planned(key, "pro");
    }

    @Test
    void the_removal_of_a_key_is_rolled_back() throws Exception {
        String key = UUID.randomUUID().toString();
        long banned = changed("live-annotated", "{\"key\":\"" + key + "\",\"who\":\"ann\",\"access\":\"banned\"}");
        removed("live-annotated", "key=" + key + "&", banned);
        long removal = one.getBean(LiveLimits.class).history().get(0).version();
        assertThat(get(one, "livelimits/live-annotated?key=" + key).statusCode())
                .isEqualTo(404);
        HttpResponse<String> back =
                post(one, "livelimits", "{\"who\":\"ann\",\"rollBack\":" + removal + ",\"version\":0}");
        assertThat(back.statusCode()).as(back.body()).isEqualTo(200);
        assertThat(get(one, "livelimits/live-annotated?key=" + key).body()).contains("\"access\":\"BANNED\"");
    }

    @Test
    void the_live_limits_of_a_name_have_its_history_alone() throws Exception {
        changed("live-configured", "{\"limit\":7,\"who\":\"ann\",\"why\":\"another\"}");
        long version = changed("live-code", "{\"kind\":\"fixed-window\",\"limit\":2,\"who\":\"ann\"}");
        String key = UUID.randomUUID().toString();
        changed("live-code", "{\"key\":\"" + key + "\",\"who\":\"ann\",\"access\":\"exempt\"}");
        JsonNode shown = JSON.readTree(get(one, "livelimits/live-code").body());
        assertThat(shown.at("/limits")).hasSize(1);
        assertThat(shown.at("/limits/0/version").asLong()).isEqualTo(version);
        assertThat(shown.at("/keys/0/settings/access").asText()).isEqualTo("EXEMPT");
        assertThat(shown.at("/history/0/after/settings/access").asText()).isEqualTo("EXEMPT");
        assertThat(shown.at("/history/1/version").asLong()).isEqualTo(version);
        assertThat(shown.at("/history"))
                .allSatisfy(change -> assertThat(change.get("name").asText()).isEqualTo("live-code"));
        assertThat(get(one, "livelimits/unknown-to-all").statusCode()).isEqualTo(404);
        one.getBean(Limited.class).configured();
        assertThat(get(one, "livelimits/live-configured").statusCode()).isEqualTo(200);
    }

    @Test
    void a_removal_is_audited_with_its_key_where_the_live_limit_was_not_yet_known() throws Exception {
        String key = UUID.randomUUID().toString();
        RedisLiveLimits live =
                RedisLiveLimits.of(other.getBean(RedisRateLimiterFactory.class)).orElseThrow();
        live.pause();
        long banned = changed("live-annotated", "{\"key\":\"" + key + "\",\"who\":\"ann\",\"access\":\"banned\"}");
        HttpResponse<String> removed =
                delete(other, "livelimits/live-annotated?key=" + key + "&who=ann&version=" + banned);
        live.resume();
        assertThat(removed.statusCode()).as(removed.body()).isEqualTo(204);
        assertThat(other.getBean(Events.class).audits)
                .map(event -> event.getAuditEvent().getData())
                .filteredOn(data -> Long.valueOf(banned).equals(data.get("replacedVersion")))
                .singleElement()
                .satisfies(data -> assertThat(data)
                        .containsEntry("action", "remove")
                        .hasEntrySatisfying(
                                "key", hash -> assertThat((String) hash).matches("#[0-9a-f]{16}")));
    }

    private static int grantedUnder(String plan, ConfigurableApplicationContext context) {
        String key = UUID.randomUUID().toString();
        Limited limited = context.getBean(Limited.class);
        return (int) IntStream.range(0, TRIES)
                .filter(i -> passes(() -> limited.planned(key, plan)))
                .count();
    }

    @Test
    void a_live_limit_of_concurrency_can_be_raised_and_lowered() throws Exception {
        for (ConfigurableApplicationContext context : List.of(one, other)) {
            rejectsTwo(context);
        }
        long version = changed("live-held", "{\"limit\":2,\"who\":\"ann\"}");
        grantsTwo(one);
        Eventually.that(() -> grantsTwo(other));
        changed("live-held", "{\"limit\":1,\"who\":\"ann\",\"version\":" + version + "}");
        rejectsTwo(one);
        Eventually.that(() -> rejectsTwo(other));
    }

    @Test
    void a_live_limit_puts_a_concurrency_limit_into_shadow_mode() throws Exception {
        rejectsTwo(one);
        changed("live-held", "{\"enforce\":false,\"who\":\"ann\"}");
        grantsTwo(one);
        Eventually.that(() -> grantsTwo(other));
    }

    private static void grantsTwo(ConfigurableApplicationContext context) {
        assertThat(passes(() -> holdTwo(context))).isTrue();
    }

    private static void rejectsTwo(ConfigurableApplicationContext context) {
        assertThat(passes(() -> holdTwo(context))).isFalse();
    }

    private static void holdTwo(ConfigurableApplicationContext context) {
        Limited limited = context.getBean(Limited.class);
        String key = UUID.randomUUID().toString();
        limited.held(key, () -> limited.held(key, () -> {}));
    }

    @Test
    void a_live_limit_changes_the_timeout_of_calls() throws Exception {
        twoCalls(one);
        changed("live-timeout", "{\"timeout\":0,\"who\":\"ann\"}");
        for (ConfigurableApplicationContext context : List.of(one, other)) {
            // Between the two calls a slow machine may need as long as a permit.
            Eventually.that(() -> assertThat(passes(() -> twoCalls(context))).isFalse());
        }
    }

    @Test
    void a_live_limit_lets_more_calls_wait_in_a_queue() throws Exception {
        changed("live-queue", "{\"kind\":\"leaky-queue\",\"limit\":50,\"who\":\"ann\"}");
        String key = UUID.randomUUID().toString();
        List<CompletableFuture<Integer>> calls = IntStream.range(0, TRIES)
                .mapToObj(i -> HTTP.sendAsync(request(one, "/queue/x", key), HttpResponse.BodyHandlers.discarding())
                        .thenApply(HttpResponse::statusCode))
                .toList();
        assertThat(calls).extracting(CompletableFuture::join).doesNotContain(429);
    }

    private static void twoCalls(ConfigurableApplicationContext context) {
        String key = UUID.randomUUID().toString();
        context.getBean(Limited.class).waits(key);
        context.getBean(Limited.class).waits(key);
    }

    @Test
    void a_live_limit_does_not_change_what_a_resolver_chooses() throws Exception {
        Limited limited = one.getBean(Limited.class);
        String premium = "premium-" + RUN;
        changed("live-resolved", "{\"limit\":1,\"who\":\"ann\"}");
        limited.resolved("ann-" + RUN);
        assertThat(passes(() -> limited.resolved("ann-" + RUN))).isFalse();
        for (int i = 0; i < 5; i++) {
            limited.resolved(premium);
        }
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limited.resolved(premium));
    }

    @ParameterizedTest
    @EnumSource
    void a_key_is_banned_exempt_and_as_all_others_again(Kind kind) throws Exception {
        String key = "ann-" + UUID.randomUUID();
        assertThat(kind.tries(one, key)).isTrue();
        String body = "{\"key\":\"" + key + "\",\"who\":\"ann\",\"access\":";
        long banned = changed(kind.name, body + "\"banned\",\"expiresIn\":\"30m\"}");
        assertThat(kind.tries(one, key)).isFalse();
        // A call before that would take a permit.
        Eventually.that(
                () -> assertThat(other.getBean(LiveLimits.class).version()).isGreaterThanOrEqualTo(banned));
        assertThat(kind.tries(other, key)).isFalse();
        assertThat(kind.granted(one)).as("other keys").isEqualTo(OWN_LIMIT);
        JsonNode shown =
                JSON.readTree(get(one, "limiters/" + kind.name + "?key=" + key).body());
        assertThat(shown.at("/source").asText()).isEqualTo("override");
        assertThat(shown.at("/granted").asBoolean()).isFalse();
        assertThat(shown.at("/live/version").asLong()).isEqualTo(banned);
        String hash = shown.at("/live/key/value").asText();
        assertThat(hash).matches("[0-9a-f]{16}");
        assertThat(JSON.readTree(get(one, "livelimits/" + kind.name + "?keyHash=" + hash)
                                .body())
                        .at("/settings/access")
                        .asText())
                .isEqualTo("BANNED");
        assertThat(get(one, "livelimits/" + kind.name).body()).contains("\"keys\":[{", hash);
        assertThat(JSON.readTree(get(one, "livelimits").body())
                        .at("/keys/0/key/value")
                        .asText())
                .isEqualTo(hash);
        assertThat(shown.at("/rejections/rejections").asInt()).isPositive();
        assertThat(shown.at("/rejections/secondsAgo/0").isNumber()).isTrue();
        assertThat(shown.at("/rejections").has("key")).isTrue();

        String byHash = "{\"keyHash\":\"" + hash + "\",\"who\":\"ann\",\"version\":";
        assertThat(post(one, "livelimits/" + kind.name, body + "\"exempt\"}").statusCode())
                .as("another version")
                .isEqualTo(409);
        long exempt = changed(kind.name, byHash + banned + ",\"access\":\"exempt\"}");
        for (int i = 0; i < TRIES; i++) {
            assertThat(kind.tries(one, key)).isTrue();
        }
        removed(kind.name, "keyHash=" + hash + "&", exempt);
        int granted = 0;
        for (int i = 0; i < TRIES; i++) {
            granted += kind.tries(one, key) ? 1 : 0;
        }
        assertThat(granted).as("nothing was taken meanwhile").isEqualTo(OWN_LIMIT - 1);
        assertThat(one.getBean(Events.class).audits)
                .map(event -> event.getAuditEvent().getData())
                .filteredOn(data -> ("#" + hash).equals(data.get("key")))
                .map(data -> data.get("action"))
                .containsExactly("put", "put", "remove");
    }

    @Test
    void a_banned_key_is_told_when_to_retry() throws Exception {
        String key = UUID.randomUUID().toString();
        changed("live-http", "{\"key\":\"" + key + "\",\"who\":\"ann\",\"access\":\"banned\",\"expiresIn\":\"30m\"}");
        HttpResponse<String> rejected = HTTP.send(request(one, "/live/x", key), HttpResponse.BodyHandlers.ofString());
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValueAsLong("Retry-After").orElseThrow())
                .isBetween(1L, 1800L);
        assertThat(rejected.headers().firstValueAsLong("Retry-After").orElseThrow())
                .isGreaterThan(60);
    }

    @Test
    void a_resolver_does_not_lift_a_ban() throws Exception {
        String premium = "premium-" + UUID.randomUUID();
        Limited limited = one.getBean(Limited.class);
        limited.resolved(premium);
        changed("live-resolved", "{\"key\":\"" + premium + "\",\"who\":\"ann\",\"access\":\"banned\"}");
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limited.resolved(premium));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"access\":\"banned\"} | is for one key of 'live-annotated': name the key",
                "{\"key\":\"k\",\"access\":\"maybe\"} | access must be one of [exempt, banned], was 'maybe'",
                "{\"key\":\"k\",\"keyHash\":\"0123456789abcdef\",\"access\":\"banned\"} | leave one of them out",
                "{\"keyHash\":\"k\",\"access\":\"banned\"} | must be 16 hexadecimal digits",
                "{\"key\":\"k\",\"access\":\"banned\",\"limit\":5} | access BANNED decides alone",
                "{\"key\":\"k\",\"enforce\":false} | timeout and enforce are of all keys",
                "{\"key\":\"k\"} | nothing is set"
            })
    void what_is_not_possible_for_a_key_is_rejected(String body, String problem) throws Exception {
        HttpResponse<String> rejected =
                post(one, "livelimits/live-annotated", body.substring(0, body.length() - 1) + ",\"who\":\"ann\"}");
        assertThat(rejected.statusCode()).as(rejected.body()).isEqualTo(400);
        assertThat(rejected.body()).contains(problem);
    }

    @Test
    void a_live_limit_of_an_unknown_name_needs_a_kind() throws Exception {
        HttpResponse<String> withoutKind = post(one, "livelimits/unknown-" + RUN, "{\"limit\":1,\"who\":\"ann\"}");
        assertThat(withoutKind.statusCode()).isEqualTo(400);
        assertThat(withoutKind.body()).contains("kind must be set");
    }

    @Test
    void a_live_limit_applies_to_a_limiter_that_is_built_later() throws Exception {
        String name = "later-" + RUN;
        changed(name, "{\"kind\":\"fixed-window\",\"limit\":1,\"who\":\"ann\"}");
        assertThat(get(one, "livelimits/" + name).body())
                .contains("\"settings\":{\"kind\":\"fixed-window\",\"limit\":1}");
        Eventually.that(
                () -> assertThat(other.getBean(LiveLimits.class).get(name)).isPresent());
        for (ConfigurableApplicationContext context : List.of(one, other)) {
            assertThat(context.getBean(LimiterFactory.class)
                            .build(name, FixedWindow.of(OWN_LIMIT, DAY))
                            .tryAcquire(UUID.randomUUID().toString(), 2))
                    .isFalse();
        }
    }

    @Test
    void a_change_of_another_version_is_a_conflict_that_shows_the_current_one() throws Exception {
        long version =
                changed("live-code", "{\"kind\":\"fixed-window\",\"limit\":1,\"who\":\"ann\",\"why\":\"first\"}");
        String name = "livelimits/live-code";
        String rollBack = "{\"rollBack\":" + version + ",\"version\":0,\"who\":\"ben\"}";
        for (HttpResponse<String> conflict : List.of(
                post(one, name, "{\"limit\":2,\"who\":\"ben\"}"),
                post(one, name, "{\"limit\":2,\"who\":\"ben\",\"version\":" + (version - 1) + "}"),
                delete(one, name + "?who=ben"),
                post(one, "livelimits", rollBack))) {
            assertThat(conflict.statusCode()).as(conflict.body()).isEqualTo(409);
            JsonNode answer = JSON.readTree(conflict.body());
            assertThat(answer.get("problem").asText()).contains("was not changed");
            assertThat(answer.at("/current/version").asLong()).isEqualTo(version);
            assertThat(answer.at("/current/why").asText()).isEqualTo("first");
        }
    }

    @Test
    void a_refreshed_limit_is_shown_before_and_after_a_live_limit() throws Exception {
        Map<String, Object> changing = new HashMap<>();
        MutablePropertySources sources = one.getEnvironment().getPropertySources();
        sources.addFirst(new MapPropertySource("changing", changing));
        for (int refreshed : new int[] {8, 7, 6, 5, 7, 9}) {
            changing.put("limiter.limits.live-refreshed.limit", refreshed);
            one.publishEvent(new EnvironmentChangeEvent(changing.keySet()));
            assertThat(shownLimit("live-refreshed")).as("refreshed").isEqualTo(refreshed);
            long version = changed("live-refreshed", "{\"limit\":2,\"who\":\"ann\"}");
            assertThat(shownLimit("live-refreshed")).as("live").isEqualTo(2);
            version = changed("live-refreshed", "{\"enforce\":false,\"who\":\"ann\",\"version\":" + version + "}");
            assertThat(shownLimit("live-refreshed")).as("in shadow mode").isEqualTo(refreshed);
            removed("live-refreshed", version);
            assertThat(shownLimit("live-refreshed")).as("removed").isEqualTo(refreshed);
        }
        sources.remove("changing");
        one.publishEvent(new EnvironmentChangeEvent(changing.keySet()));
    }

    private static int shownLimit(String name) throws Exception {
        return JSON.readTree(get(one, "limiters/" + name).body())
                .at("/definition/limit")
                .asInt();
    }

    @Test
    void a_change_is_rolled_back_in_all_instances() throws Exception {
        long first = changed("live-annotated", "{\"limit\":1,\"who\":\"ann\"}");
        long second = changed("live-annotated", "{\"limit\":2,\"who\":\"ann\",\"version\":" + first + "}");
        HttpResponse<String> back = post(
                one,
                "livelimits",
                "{\"rollBack\":" + second + ",\"version\":" + second + ",\"who\":\"ben\",\"why\":\"too high\"}");
        assertThat(back.statusCode()).as(back.body()).isEqualTo(200);
        assertThat(JSON.readTree(back.body()).at("/after/settings/limit").asInt())
                .isOne();
        assertThat(Kind.ANNOTATED.granted(one)).isOne();
        Eventually.that(() -> assertThat(Kind.ANNOTATED.granted(other)).isOne());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{'limit':'many','who':'ann'}; limit must be a whole number, was 'many'",
                "{'limit':0,'who':'ann'}; limit",
                "{'rate':5,'who':'ann'}; rate",
                "{'kind':'sliding-log','limit':5,'who':'ann'}; kind",
                "{'kind':'maybe','limit':5,'who':'ann'}; kind must be one of token-bucket",
                "{'timeout':'soon','who':'ann'}; timeout must be a number of seconds or one with a unit (ns, us, ms, s, m, h, d)",
                "{'enforce':'no','who':'ann'}; enforce must be true or false, was 'no'",
                "{'failurePolicy':'open','who':'ann'}; failurePolicy must be one of [deny, allow, local, throw]",
                "{'failureShare':0.5,'who':'ann'}; failureShare",
                "{'limits':5,'who':'ann'}; there is no 'limits', did you mean limit?: set only version, kind, rate",
                "{'limit':5,'expireIn':'2h','who':'ann'}; there is no 'expireIn', did you mean expiresIn?",
                "{'limit':5,'ExpiresIn':'2h','who':'ann'}; there is no 'ExpiresIn', did you mean expiresIn?",
                "{'limit':5,'comment':'night','who':'ann'}; there is no 'comment': set only version",
                "{'limit':5,'name':'live-http','who':'ann'}; there is no 'name'",
                "{'limit':5,'security':'none','who':'ann'}; there is no 'security'",
                "{'who':'ann'}; nothing is set: set one of rate",
                "{'limit':5}; who must be set, because no user is logged in",
                "{'limit':5,'who':'ann','expiresIn':'0s'}; expiresIn must be between",
                "{'limit':5,'who':'ann','version':'first'}; version must be a whole number from 0 to 999999999999999, was 'first'",
                "{'limit':5,'who':'ann','version':-1}; version must be a whole number from 0 to",
                "{'limit':5,'who':'ann','version':9223372036854775807}; version must be a whole number from 0 to",
                "{'limit':5,'who':'ann','version':99999999999999999999}; version must be a whole number from 0 to",
                "{'limit':5,'who':'ann','remove':true}; there is no 'remove'",
                "{'rollBack':1,'who':'ann'}; there is no 'rollBack'",
            })
    void a_bad_value_is_answered_with_what_is_allowed(String body, String problem) throws Exception {
        HttpResponse<String> answer = post(one, "livelimits/live-annotated", body.replace('\'', '"'));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(JSON.readTree(answer.body()).get("problem").asText()).contains(problem.strip());
        assertThat(one.getBean(LiveLimits.class).get("live-annotated")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{'who':'ann'}; rollBack must be set: the version of a change",
                "{'rollBack':1000000000000000,'who':'ann'}; rollBack must be a whole number from 0 to",
                "{'rollBack':1,'who':'ann'}; version must be set: that of the live limit",
                "{'rollBack':1}; who must be set, because no user is logged in",
                "{'rollBack':1,'limit':5,'who':'ann'}; there is no 'limit'",
            })
    void a_bad_roll_back_is_answered_with_what_is_allowed(String body, String problem) throws Exception {
        HttpResponse<String> answer = post(one, "livelimits", body.replace('\'', '"'));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(JSON.readTree(answer.body()).get("problem").asText()).contains(problem.strip());
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "?limit=5&limit=6&who=ann, 'limit' is there more than once",
                "?limt=5&who=ann, there is no 'limt'",
            })
    void a_bad_parameter_of_the_query_is_answered_with_what_is_allowed(String query, String problem) throws Exception {
        HttpResponse<String> answer = post(one, "livelimits/live-annotated" + query, "{}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains(problem);
        assertThat(one.getBean(LiveLimits.class).get("live-annotated")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{'rate':5,", "rate=5", "[1]", "{'rate':{'of':5}}", "{'who':'\u0001'}"})
    void a_body_that_cannot_be_read_is_answered_with_what_is_wrong(String body) throws Exception {
        try (ConfigurableApplicationContext reactive = Operated.connected(
                Application.class,
                "--spring.main.web-application-type=reactive",
                "--management.endpoint.livelimits.access=unrestricted")) {
            for (ConfigurableApplicationContext context : List.of(one, reactive)) {
                HttpResponse<String> answer = post(context, "livelimits/live-annotated", body.replace('\'', '"'));
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
                assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
                        .startsWith("application/json");
                assertThat(answer.body()).contains("problem");
                assertThat(JSON.readTree(answer.body()).get("problem").asText())
                        .startsWith("the body must be a JSON object")
                        .doesNotContain("\n", "io.limiter");
                HttpResponse<String> misspelt =
                        post(context, "livelimits/live-annotated", "{\"limit\":5,\"expireIn\":\"2h\",\"who\":\"ann\"}");
                assertThat(misspelt.body()).contains("did you mean expiresIn?");
            }
        }
    }

    @Test
    void what_cannot_be_read_is_named_beside_the_rest() throws Exception {
        changed("live-annotated", "{\"limit\":2,\"who\":\"ann\"}");
        byte[] history = "{limiter:live:live-test}:history".getBytes(StandardCharsets.UTF_8);
        byte[] broken = ("broken " + RUN).getBytes(StandardCharsets.UTF_8);
        try (RedisConnection redis = one.getBean(RedisConnectionFactory.class).getConnection()) {
            redis.zSetCommands().zAdd(history, 1e9, broken);
            HttpResponse<String> answer = get(one, "livelimits");
            redis.zSetCommands().zRem(history, broken);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            JsonNode live = JSON.readTree(answer.body());
            assertThat(live.at("/limits/0/name").asText()).isEqualTo("live-annotated");
            assertThat(live.at("/history/0/name").asText()).isEqualTo("live-annotated");
            assertThat(live.at("/unreadable/count").asInt()).isOne();
            assertThat(live.at("/unreadable/changes/0/version").asLong()).isEqualTo(1_000_000_000);
            assertThat(live.at("/unreadable/changes/0/problem").asText()).isNotEmpty();
        }
        assertThat(get(one, "livelimits").body()).contains("\"unreadable\":null");
    }

    @Test
    void a_reset_with_a_misspelt_parameter_is_rejected_and_not_audited() throws Exception {
        String key = "ann-" + UUID.randomUUID();
        one.getBean(Limited.class).count(key);
        Events events = one.getBean(Events.class);
        events.audits.clear();
        HttpResponse<String> misspelt = delete(one, "limiters/live-annotated?kye=" + key);
        assertThat(misspelt.statusCode()).isEqualTo(400);
        assertThat(misspelt.body()).contains("there is no 'kye', did you mean key?");
        assertThat(events.audits).isEmpty();
    }

    @Test
    void a_reset_is_audited() throws Exception {
        String key = "ann-" + UUID.randomUUID();
        one.getBean(Limited.class).count(key);
        Events events = one.getBean(Events.class);
        events.audits.clear();
        assertThat(delete(one, "limiters/live-annotated?key=" + key).statusCode())
                .isEqualTo(204);
        assertThat(delete(one, "limiters/live-annotated?who=ben").statusCode()).isEqualTo(204);
        assertThat(events.audits)
                .map(AuditApplicationEvent::getAuditEvent)
                .satisfiesExactly(
                        ofKey -> {
                            assertThat(ofKey.getType()).isEqualTo("LIMIT_RESET");
                            assertThat(ofKey.getPrincipal()).isEqualTo("unknown");
                            assertThat(ofKey.getData())
                                    .containsEntry("limit", "countLimit:live-annotated")
                                    .containsEntry("action", "reset")
                                    .containsEntry("result", "done")
                                    .hasEntrySatisfying(
                                            "key",
                                            shown -> assertThat((String) shown).matches("[0-9a-f]{16}"));
                        },
                        own -> {
                            assertThat(own.getPrincipal()).isEqualTo("ben");
                            assertThat(own.getData()).doesNotContainKey("key");
                        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<script>alert(1)</script>",
                "a \"quoted\" \\ name's",
                "two\nlines\tand\u0000 more",
                "#{T(java.lang.Runtime)} ${jndi:ldap://x} %s {0}",
                "\u202eright to left \ud83d\ude00",
            })
    void hostile_text_is_shown_as_text(String text) throws Exception {
        LiveLimits live = one.getBean(LiveLimits.class);
        live.put(text, LiveSettings.of(LiveKind.FIXED_WINDOW).limit(1), ChangeNote.of(text, text), 0);
        Eventually.that(
                () -> assertThat(other.getBean(LiveLimits.class).get(text)).isPresent());
        for (ConfigurableApplicationContext context : List.of(one, other)) {
            HttpResponse<String> all = get(context, "livelimits");
            assertThat(all.headers().firstValue("Content-Type").orElseThrow()).contains("json");
            JsonNode shown = JSON.readTree(all.body());
            for (JsonNode each : List.of(shown.at("/limits/0"), shown.at("/history/0"))) {
                assertThat(each.get("name").asText()).isEqualTo(text);
                assertThat(each.get("who").asText()).isEqualTo(text);
                assertThat(each.get("why").asText()).isEqualTo(text);
            }
        }
    }

    @Test
    void a_limit_shows_where_its_definition_comes_from() throws Exception {
        Kind.PROGRAMMATIC.granted(one);
        one.getBean(Limited.class).configured();
        one.getBean(LimiterFactory.class).build("live-rate-set", 5, 1, 60).setRate(7);
        assertThat(definedBy("live-annotated")).isEqualTo("annotation");
        assertThat(definedBy("live-configured")).isEqualTo("limiter.limits.live-configured");
        assertThat(definedBy("live-http")).isEqualTo("limiter.http");
        assertThat(definedBy("live-code")).isEqualTo("code");
        assertThat(definedBy("live-rate-set")).isEqualTo("setRate");
    }

    @Test
    void a_limit_is_defined_by_a_live_limit_that_changes_its_parameters() throws Exception {
        one.getBean(Limited.class).configured();
        long version = changed("live-configured", "{\"enforce\":false,\"who\":\"ann\"}");
        assertThat(definedBy("live-configured")).isEqualTo("limiter.limits.live-configured");
        changed(
                "live-configured",
                "{\"limit\":7,\"who\":\"ann\",\"why\":\"night\",\"expiresIn\":\"2h\",\"version\":" + version + "}");
        JsonNode limit = JSON.readTree(get(one, "limiters/live-configured").body());
        assertThat(limit.get("definedBy").asText()).isEqualTo("live");
        assertThat(limit.at("/definition/limit").asInt()).isEqualTo(7);
        assertThat(limit.at("/live/settings").toString()).isEqualTo("{\"limit\":7}");
        assertThat(limit.at("/live/who").asText()).isEqualTo("ann");
        assertThat(limit.at("/live/why").asText()).isEqualTo("night");
        assertThat(limit.at("/live/version").asLong()).isGreaterThan(version);
        assertThat(limit.at("/live/expiresAt").asText()).startsWith("20");
        assertThat(JSON.readTree(get(one, "livelimits").body())
                        .at("/history/0/before/settings")
                        .toString())
                .isEqualTo("{\"enforce\":false}");
    }

    private static String definedBy(String name) throws Exception {
        return JSON.readTree(get(one, "limiters/" + name).body())
                .get("definedBy")
                .asText();
    }

    @Test
    void each_instance_publishes_a_change_and_only_the_one_that_made_it_audits_it() throws Exception {
        String name = "published-" + RUN;
        long version = changed(name, "{\"kind\":\"fixed-window\",\"limit\":5,\"who\":\"ann\",\"why\":\"night\"}");
        removed(name, version);
        one.getBean(LiveLimits.class).remove(name, ChangeNote.of("ann", "nothing is there"), 0);
        for (ConfigurableApplicationContext context : List.of(one, other)) {
            Events events = context.getBean(Events.class);
            // An instance that polls late may see only the last of two changes.
            Eventually.that(() -> assertThat(events.changes)
                    .filteredOn(event -> event.change().name().equals(name))
                    .anySatisfy(event -> assertThat(event.change().who()).isNotEmpty()));
        }
        assertThat(one.getBean(Events.class).audits)
                .map(AuditApplicationEvent::getAuditEvent)
                .filteredOn(event -> name.equals(event.getData().get("limit")))
                .satisfiesExactly(
                        put -> {
                            assertThat(put.getType()).isEqualTo("LIVE_LIMIT_CHANGED");
                            assertThat(put.getPrincipal()).isEqualTo("ann");
                            assertThat(put.getData())
                                    .containsEntry("action", "put")
                                    .containsEntry("version", version)
                                    .containsEntry("why", "night");
                        },
                        removed -> assertThat(removed.getData()).containsEntry("action", "remove"));
        assertThat(other.getBean(Events.class).audits)
                .noneMatch(event -> name.equals(event.getAuditEvent().getData().get("limit")));
    }

    @Test
    void a_roll_back_and_an_expiry_are_audited() throws Exception {
        String name = "audited-" + RUN;
        String body = "{\"kind\":\"fixed-window\",\"limit\":5,\"who\":\"ann\",\"why\":\"night\"";
        long version = changed(name, body + "}");
        HttpResponse<String> rolledBack =
                post(one, "livelimits", "{\"rollBack\":" + version + ",\"who\":\"bob\",\"version\":" + version + "}");
        assertThat(rolledBack.statusCode()).as(rolledBack.body()).isEqualTo(200);
        long last = changed(name, body + ",\"expiresIn\":\"1s\"}");
        Eventually.that(
                () -> assertThat(other.getBean(LiveLimits.class).version()).isGreaterThanOrEqualTo(last));
        Eventually.that(() -> assertThat(one.getBean(Events.class).audits)
                .map(event -> event.getAuditEvent().getData())
                .filteredOn(data -> name.equals(data.get("limit")))
                .map(data -> data.get("action"))
                .containsExactly("put", "roll back of " + version, "put", "expire"));
        Eventually.that(() -> assertThat(other.getBean(Events.class).audits)
                .map(AuditApplicationEvent::getAuditEvent)
                .filteredOn(event -> name.equals(event.getData().get("limit")))
                .singleElement()
                .satisfies(expired -> {
                    assertThat(expired.getPrincipal()).isEqualTo("ann");
                    assertThat(expired.getData())
                            .containsEntry("action", "expire")
                            .containsEntry("replacedVersion", last)
                            .containsEntry("why", "night");
                }));
    }

    @Test
    void reports_name_an_instance_by_its_application_and_port() {
        LiveLimits live = one.getBean(LiveLimits.class);
        // The first call asks for the reports.
        Eventually.that(() -> assertThat(live.fleet().watch().instances())
                .map(InstanceReport::instance)
                .filteredOn(name -> name.startsWith("live-test:0:"))
                .hasSize(2));
    }

    @Test
    void without_live_limits_a_change_is_answered_with_how_to_enable_them() throws Exception {
        try (ConfigurableApplicationContext off = Operated.start(
                Application.class,
                "--limiter.live.enabled=false",
                "--management.endpoint.livelimits.access=unrestricted")) {
            assertThat(off.getBeansOfType(LiveLimits.class)).isEmpty();
            HttpResponse<String> answer = post(off, "livelimits/live-annotated", "{\"limit\":1,\"who\":\"ann\"}");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("set limiter.live.enabled to true");
            assertThat(get(off, "limiters").statusCode()).isEqualTo(200);
        }
    }

    /** Stores a live limit, and returns its version. */
    private static long changed(String name, String body) throws Exception {
        HttpResponse<String> answer = post(one, "livelimits/" + name, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).get("version").asLong();
    }

    private static void removed(String name, long version) throws Exception {
        removed(name, "", version);
    }

    /** @param key perhaps a parameter that names a key */
    private static void removed(String name, String key, long version) throws Exception {
        HttpResponse<String> answer = delete(one, "livelimits/" + name + "?" + key + "who=ann&version=" + version);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    }

    private static boolean passes(Runnable call) {
        try {
            call.run();
            return true;
        } catch (RateLimitExceededException e) {
            return false;
        }
    }

    private static int call(ConfigurableApplicationContext context, String path, String key) throws Exception {
        return HTTP.send(request(context, path, key), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static HttpRequest request(ConfigurableApplicationContext context, String path, String key) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .header("X-Api-Key", key)
                .build();
    }
}
