package io.limiter.spring.internal.actuate;

import static io.limiter.spring.internal.actuate.Operated.get;
import static io.limiter.spring.internal.actuate.Operated.post;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.limiter.live.LiveLimits;
import io.limiter.testing.Eventually;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys that an operator bans, exempts, and treats like all others again. */
class LiveKeysTest extends TwoApplications {

    @ParameterizedTest
    @EnumSource
    void a_key_is_banned_exempt_and_as_all_others_again(Kind kind) throws Exception {
        String key = "ann-" + UUID.randomUUID();
        assertThat(kind.tries(one, key)).isTrue();
        String body = "{\"key\":\"" + key + "\",\"who\":\"ann\",\"access\":";
        long banned = changed(kind.name, body + "\"banned\",\"expiresIn\":\"30m\"}");
        // More often than the keys of other tests, because only the hottest are reported.
        for (int i = 0; i < 3 * TRIES; i++) {
            assertThat(kind.tries(one, key)).isFalse();
        }
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
        assertThat(granted)
                .as("nothing was taken while it was banned and exempt")
                .isEqualTo(OWN_LIMIT - 1);
        assertThat(one.getBean(Events.class).audits)
                .map(event -> event.getAuditEvent().getData())
                .filteredOn(data -> ("#" + hash).equals(data.get("key")))
                .map(data -> data.get("action"))
                .containsExactly("put", "put", "remove");
    }

    @Test
    void a_rejection_by_a_ban_has_its_retry_after() throws Exception {
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
}
