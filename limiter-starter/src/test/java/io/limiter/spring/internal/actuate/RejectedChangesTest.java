package io.limiter.spring.internal.actuate;

import static io.limiter.spring.internal.actuate.Operated.delete;
import static io.limiter.spring.internal.actuate.Operated.get;
import static io.limiter.spring.internal.actuate.Operated.post;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.LiveLimits;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Requests that the endpoint rejects, and what it answers. */
class RejectedChangesTest extends TwoApplications {

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
                "{'onFailure':'open','who':'ann'}; onFailure must be local, owner, deny, allow or throw",
                "{'onFailure':'local(2)','who':'ann'}; onFailure must be local, owner",
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
    void a_bad_value_is_answered_with_the_allowed_range(String body, String problem) throws Exception {
        HttpResponse<String> answer = post(one, "livelimits/live-annotated", body.replace('\'', '"'));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(JSON.readTree(answer.body()).get("problem").asText()).contains(problem.strip());
        assertThat(one.getBean(LiveLimits.class).get("live-annotated")).isEmpty();
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

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "live-anotated, `did you mean 'live-annotated'?`",
                "live-several, `alone: name one of live-several/one, live-several/two.`",
                "live-several/tow, `did you mean 'live-several/two'?`",
                "search, `no limit here has the name 'search'. To`"
            })
    void a_name_that_no_limit_has_is_rejected_with_the_one_that_is_meant(String name, String problem) throws Exception {
        for (String body : List.of(
                "{\"limit\":1,\"who\":\"ann\"}",
                "{\"enforce\":false,\"who\":\"ann\"}",
                "{\"onFailure\":\"deny\",\"who\":\"ann\"}",
                "{\"key\":\"k\",\"access\":\"banned\",\"who\":\"ann\"}")) {
            HttpResponse<String> rejected = post(one, "livelimits/" + name, body);
            assertThat(rejected.statusCode()).as(body).isEqualTo(400);
            assertThat(problem(rejected))
                    .contains(problem)
                    .endsWith(
                            " To prepare a live limit of a limit that is built later or by another instance, set the kind that it"
                                    + " will have.");
        }
        String said = problem.replace(" To", "");
        for (HttpResponse<String> missing : List.of(
                get(one, "limiters/" + name),
                get(one, "livelimits/" + name),
                delete(one, "limiters/" + name + "?key=k&who=ann"),
                delete(one, "livelimits/" + name + "?who=ann"))) {
            assertThat(missing.statusCode()).isEqualTo(404);
            assertThat(problem(missing)).endsWith(said);
        }
        assertThat(one.getBean(LiveLimits.class).get(name)).isEmpty();
    }

    @Test
    void with_its_kind_a_live_limit_is_prepared_for_a_limit_that_is_built_later() throws Exception {
        String name = "prepared-" + RUN;
        changed(name, "{\"kind\":\"fixed-window\",\"key\":\"k\",\"access\":\"banned\",\"who\":\"ann\"}");
        changed(name, "{\"kind\":\"fixed-window\",\"limit\":1,\"who\":\"ann\"}");
        Limiter later = one.getBean(LimiterFactory.class).build(name, FixedWindow.of(OWN_LIMIT, DAY));
        assertThat(later.tryAcquire("k")).isFalse();
        assertThat(later.on("other").tryAcquire(2)).isFalse();
        HttpResponse<String> without = get(one, "livelimits/" + name + "?key=other");
        assertThat(without.statusCode()).isEqualTo(404);
        assertThat(problem(without)).isEqualTo("this key has no live limit of '" + name + "'");
    }

    private static String problem(HttpResponse<String> answer) throws Exception {
        return JSON.readTree(answer.body()).get("problem").asText();
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
    void a_bad_roll_back_is_answered_with_the_allowed_range(String body, String problem) throws Exception {
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
    void a_bad_parameter_of_the_query_is_answered_with_the_allowed_range(String query, String problem)
            throws Exception {
        HttpResponse<String> answer = post(one, "livelimits/live-annotated" + query, "{}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains(problem);
        assertThat(one.getBean(LiveLimits.class).get("live-annotated")).isEmpty();
    }

    @Test
    void a_body_that_cannot_be_read_is_answered_with_what_is_wrong() throws Exception {
        try (ConfigurableApplicationContext reactive = Operated.connected(
                Application.class,
                "--spring.main.web-application-type=reactive",
                "--management.endpoint.livelimits.access=unrestricted")) {
            for (ConfigurableApplicationContext context : List.of(one, reactive)) {
                for (String body : List.of("{'rate':5,", "rate=5", "[1]", "{'rate':{'of':5}}", "{'who':'\u0001'}")) {
                    HttpResponse<String> answer = post(context, "livelimits/live-annotated", body.replace('\'', '"'));
                    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
                    assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
                            .startsWith("application/json");
                    assertThat(answer.body()).contains("problem");
                    assertThat(JSON.readTree(answer.body()).get("problem").asText())
                            .as(body)
                            .startsWith("the body must be a JSON object")
                            .doesNotContain("\n", "io.limiter");
                }
                HttpResponse<String> misspelt =
                        post(context, "livelimits/live-annotated", "{\"limit\":5,\"expireIn\":\"2h\",\"who\":\"ann\"}");
                assertThat(misspelt.body()).contains("did you mean expiresIn?");
            }
        }
    }

    @Test
    void a_change_of_another_version_is_a_conflict_that_shows_the_current_one() throws Exception {
        long version = changed("live-annotated", "{\"limit\":1,\"who\":\"ann\",\"why\":\"first\"}");
        String name = "livelimits/live-annotated";
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
    void without_live_limits_a_change_is_answered_with_how_to_enable_them() throws Exception {
        try (ConfigurableApplicationContext off = Operated.start(
                Application.class,
                "--limiter.live.enabled=false",
                "--management.endpoint.livelimits.access=unrestricted")) {
            assertThat(off.getBean(LiveLimits.class)).isSameAs(LiveLimits.NONE);
            HttpResponse<String> answer = post(off, "livelimits/live-annotated", "{\"limit\":1,\"who\":\"ann\"}");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("There are no live limits here", "limiter.live.enabled at true");
            assertThat(get(off, "limiters").statusCode()).isEqualTo(200);
        }
    }
}
