package io.limiter.spring.internal.actuate;

import static io.limiter.spring.internal.actuate.Operated.delete;
import static io.limiter.spring.internal.actuate.Operated.get;
import static io.limiter.spring.internal.actuate.Operated.post;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimits;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.testing.Eventually;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ConfigurableApplicationContext;

/** Events, audit records and the history of changes. */
class ChangeHistoryTest extends TwoApplications {

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
}
