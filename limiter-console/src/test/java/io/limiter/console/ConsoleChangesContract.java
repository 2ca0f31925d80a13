package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.limiter.algorithm.LimitKind;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveSettings;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits and the limits of single keys, as the page lists and changes them. */
abstract class ConsoleChangesContract extends ConsoleRequests {

    @Test
    void an_operator_changes_a_limit_and_rolls_back() throws Exception {
        HttpResponse<String> put = post("/api/limits", "operator", PUT);
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        JsonNode live = MAPPER.readTree(put.body());
        assertThat(live.get("who").asText()).isEqualTo("operator");
        assertThat(live.get("expiresAt").asLong() - live.get("since").asLong()).isEqualTo(1_800_000);
        assertThat(limits(server).get("search").orElseThrow().settings())
                .isEqualTo(LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(20));
        assertThat(json("/api/limits", "viewer").at("/limits/0/settings/rate").asDouble())
                .isEqualTo(20);

        long version = live.get("version").asLong();
        HttpResponse<String> rolledBack = post(
                "/api/limits/roll-back",
                "operator",
                "{\"version\":%d,\"why\":\"fine again\",\"expectedVersion\":%d}".formatted(version, version));
        assertThat(rolledBack.statusCode()).as(rolledBack.body()).isEqualTo(200);
        assertThat(limits(server).list()).isEmpty();
        JsonNode history = json("/api/history", "viewer").get("changes");
        assertThat(history.at("/0/why").asText()).isEqualTo("fine again");
        assertThat(history.at("/0/after").isNull()).isTrue();
        assertThat(history.at("/1/after/settings/rate").asDouble()).isEqualTo(20);
    }

    @Test
    void support_bans_a_key_and_undoes_it() throws Exception {
        HttpResponse<String> banned = post("/api/limits", "support", BAN);
        assertThat(banned.statusCode()).as(banned.body()).isEqualTo(200);
        assertThat(limits(server)
                        .get("search", LiveKey.of("tenant-42"))
                        .orElseThrow()
                        .settings())
                .isEqualTo(LiveSettings.BANNED);
        JsonNode keys = json("/api/keys?name=search&search=42", "viewer");
        assertThat(keys.get("all").asInt()).isEqualTo(1);
        assertThat(keys.at("/keys/0/key/value").asText()).isEqualTo("tenant-42");
        assertThat(keys.at("/keys/0/settings/access").asText()).isEqualTo("BANNED");
        assertThat(keys.at("/keys/0/who").asText()).isEqualTo("support");
        assertThat(json("/api/keys?name=search&search=43", "viewer").get("keys"))
                .isEmpty();
        assertThat(json("/api/history", "viewer").at("/changes/0/key/value").asText())
                .isEqualTo("tenant-42");

        long version = MAPPER.readTree(banned.body()).get("version").asLong();
        HttpResponse<String> undone = post(
                "/api/limits/roll-back",
                "support",
                "{\"version\":%d,\"expectedVersion\":%d}".formatted(version, version));
        assertThat(undone.statusCode()).as(undone.body()).isEqualTo(200);
        assertThat(limits(server).keys("search")).isEmpty();
    }

    @Test
    void a_limit_that_no_instance_has_is_not_changed() throws Exception {
        for (String change : List.of(BAN, PUT.replace("\"kind\":\"token-bucket\",", ""))) {
            HttpResponse<String> answer = post("/api/limits", "operator", change.replace("search", "saerch"));
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body())
                    .contains("no limit here has the name 'saerch', did you mean 'search'? To prepare a live limit");
        }
        HttpResponse<String> removed =
                post("/api/limits/remove", "operator", "{\"name\":\"saerch\",\"expectedVersion\":0}");
        assertThat(removed.statusCode()).isEqualTo(400);
        assertThat(removed.body()).contains("did you mean 'search'?");
        assertThat(limits(server).history()).isEmpty();
    }

    @Test
    void a_key_authority_changes_no_limit_of_all_keys() throws Exception {
        HttpResponse<String> put = post("/api/limits", "support", PUT);
        assertThat(put.statusCode()).isEqualTo(403);
        assertThat(put.body()).contains("limiter.console.write-authorities").doesNotContain("key-authorities");
        long version = MAPPER.readTree(post("/api/limits", "operator", PUT).body())
                .get("version")
                .asLong();
        String body = "{\"name\":\"search\",\"version\":%d,\"expectedVersion\":%d}".formatted(version, version);
        assertThat(post("/api/limits/remove", "support", "{\"name\":\"search\",\"expectedVersion\":" + version + "}")
                        .statusCode())
                .isEqualTo(403);
        assertThat(post("/api/limits/roll-back", "support", body.replace("\"name\":\"search\",", ""))
                        .statusCode())
                .isEqualTo(403);
        assertThat(limits(server).get("search")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"viewer", "ann"})
    void who_may_only_read_bans_no_key(String user) throws Exception {
        HttpResponse<String> answer = post("/api/limits", user, BAN);
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("limiter.console.key-authorities", "limiter.console.write-authorities");
    }

    @Test
    void the_history_is_read_page_by_page() throws Exception {
        for (int i = 0; i < 5; i++) {
            limits(server).put("limit-" + i, LiveSettings.NONE.withEnforce(false), ChangeNote.of("ann", ""), 0);
        }
        JsonNode newest = json("/api/history?most=3", "viewer");
        assertThat(newest.at("/changes/0/name").asText()).isEqualTo("limit-4");
        assertThat(newest.get("changes")).hasSize(3);
        JsonNode older = json("/api/history?most=3&before=" + newest.get("next").asLong(), "viewer");
        assertThat(older.get("changes")).hasSize(2);
        assertThat(older.at("/changes/1/name").asText()).isEqualTo("limit-0");
        assertThat(older.get("next").asLong()).isZero();
        for (String bad : List.of("before=x", "before=-1", "most=1001", "before=9999999999999999999")) {
            HttpResponse<String> answer = get("/api/history?" + bad, "viewer");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("must be a number from 0 to");
        }
    }

    @Test
    void the_live_limits_of_the_keys_of_all_limits_are_searched() throws Exception {
        limits(server)
                .put("search", LiveKey.of("tenant-42"), LiveSettings.BANNED, ChangeNote.of("maria", "scraping"), 0);
        limits(server).put("login", LiveKey.of("tenant-7"), LiveSettings.EXEMPT, ChangeNote.of("ann", ""), 0);
        assertThat(json("/api/keys", "viewer").get("all").asInt()).isEqualTo(2);
        for (String search : List.of("login", "tenant-7", "ann")) {
            JsonNode found = json("/api/keys?search=" + search, "viewer");
            assertThat(found.get("all").asInt()).as(search).isOne();
            assertThat(found.at("/keys/0/name").asText()).isEqualTo("login");
        }
        assertThat(json("/api/keys?search=scrap", "viewer").at("/keys/0/name").asText())
                .isEqualTo("search");
    }

    @Test
    void an_operator_removes_a_live_limit() throws Exception {
        long version = MAPPER.readTree(post("/api/limits", "operator", PUT).body())
                .get("version")
                .asLong();
        HttpResponse<String> removed =
                post("/api/limits/remove", "operator", "{\"name\":\"search\",\"expectedVersion\":" + version + "}");
        assertThat(removed.statusCode()).as(removed.body()).isEqualTo(200);
        assertThat(limits(server).list()).isEmpty();
    }

    @Test
    void a_conflict_shows_the_change_of_the_other() throws Exception {
        limits(server)
                .put(
                        "search",
                        LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(30),
                        ChangeNote.of("maria", "was first"),
                        0);
        HttpResponse<String> conflict = post("/api/limits", "operator", PUT);
        assertThat(conflict.statusCode()).isEqualTo(409);
        JsonNode current = MAPPER.readTree(conflict.body()).get("current");
        assertThat(current.get("who").asText()).isEqualTo("maria");
        assertThat(current.at("/settings/rate").asDouble()).isEqualTo(30);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{\"name\":\"search\",\"settings\":{\"rate\":0},\"expectedVersion\":0}; rate must be more than 0",
                "{\"name\":\"s\",\"settings\":{\"rate\":1}}; expectedVersion is missing",
                "{\"settings\":{},\"expectedVersion\":0}; name is missing",
                "{\"name\":\"s\",\"settings\":{\"rat\":1},\"expectedVersion\":0}; rat",
                "{\"name\":\"s\",\"settings\":{\"period\":-1},\"expectedVersion\":0}; period must be between",
                "{\"name\":\"s\",\"settings\":{\"kind\":\"x\"},\"expectedVersion\":0}; kind must be one of",
                "{\"name\":\"s\",\"settings\":{},\"expiresSeconds\":9223372036854775807,\"expectedVersion\":0}; expiresIn",
                "{\"name\":\"s\",\"settings\":{\"limit\":1.9},\"expectedVersion\":0}; 1.9",
                "{\"name\":\"s\",\"settings\":{\"limit\":\"1\"},\"expectedVersion\":0}; limit must be a whole number",
                "{\"name\":\"s\",\"settings\":{},\"expiresSeconds\":1.5,\"expectedVersion\":0}; 1.5",
                "{\"name\":\"s\",\"settings\":{\"enforce\":0},\"expectedVersion\":0}; enforce must be true or false",
                "{\"name\":7,\"settings\":{},\"expectedVersion\":0}; String",
                "{\"name\":\"s\",\"name\":\"t\",\"settings\":{},\"expectedVersion\":0}; Duplicate",
                "{\"name\":\"s\",\"settings\":{\"rate\":1,\"rate\":2},\"expectedVersion\":0}; Duplicate",
                "null; JSON object",
                "{; cannot be read",
                "''; cannot be read"
            })
    void a_bad_change_is_rejected_with_the_reason(String body, String reason) throws Exception {
        HttpResponse<String> answer = post("/api/limits", "operator", body == null ? "" : body);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(MAPPER.readTree(answer.body()).get("detail").asText()).contains(reason);
        assertThat(limits(server).list()).isEmpty();
    }

    @Test
    void a_long_body_is_rejected() throws Exception {
        String body = PUT.replace("slow", "x".repeat(Console.MAX_BODY));
        assertThat(post("/api/limits", "operator", body).statusCode()).isEqualTo(400);
    }
}
