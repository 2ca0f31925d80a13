package io.limiter.spring.internal.actuate;

import static io.limiter.spring.internal.actuate.Operated.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.LimitKind;
import io.limiter.live.ChangeNote;
import io.limiter.live.InstanceReport;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.testing.Eventually;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** What the endpoints show of limits and of live limits. */
class ShownLimitsTest extends TwoApplications {

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
    void what_cannot_be_read_is_named_next_to_the_rest() throws Exception {
        changed("live-annotated", "{\"limit\":2,\"who\":\"ann\"}");
        byte[] history = ("{limiter:live:" + NAME + "}:history").getBytes(StandardCharsets.UTF_8);
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
        live.put(text, LiveSettings.of(LimitKind.FIXED_WINDOW).withLimit(1), ChangeNote.of(text, text), 0);
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
    void reports_name_an_instance_by_its_application_and_port() {
        LiveLimits live = one.getBean(LiveLimits.class);
        // The first call has the instances report.
        Eventually.that(() -> assertThat(live.fleet().watch().instances())
                .map(InstanceReport::instance)
                .filteredOn(name -> name.startsWith(NAME + ":0:"))
                .hasSize(2));
    }
}
