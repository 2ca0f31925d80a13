package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** The requests and keys of rules: the same for servlets and for WebFlux. */
public abstract class HttpRulesContract extends ServerContract {

    private static final String ORIGIN = "https://app.example";

    private static final List<String> RULES = List.of(
            "name=login",
            "path=/login",
            "key=#{ip()}:#{path()}",
            "name=files",
            "path=/files/**",
            "key=#{ip()}:#{path()}",
            "name=keyed",
            "path=/keyed",
            "key=header:X-Api-Key",
            "name=shared",
            "path=/shared",
            "key=ip",
            "name=options",
            "path=/options",
            "methods=OPTIONS",
            "name=costly",
            "path=/costly",
            "key=#{normalize(param('user'))}",
            "cost=#{number(param('n')) * 2}",
            "name=sized",
            "path=/sized",
            "key=#{param('user')}:#{number(param('n'))}",
            "condition=#{number(param('size')) > 100}",
            // By name, the site comes first.
            "name=a-site",
            "path=/site/**",
            "key=header:X-Site",
            "name=b-each",
            "path=/site/keyed",
            "key=header:X-Api-Key",
            "name=c-user",
            "path=/site/user",
            "key=user",
            "name=mine",
            "path=/mine",
            "key=user",
            "name=planned",
            "path=/planned",
            "key=header:X-Api-Key",
            "plan=header:X-Plan",
            "limits.one.plans.pro.limit=3",
            "limits.one.plans.day.per=1d",
            "name=staffed",
            "path=/staffed",
            "key=header:X-Api-Key",
            "plan=#{user()}",
            "limits.one.plans.staff.unlimited=true");

    private ConfigurableApplicationContext usual;
    private ConfigurableApplicationContext oneFile;

    /** With a filter for CORS that allows all, ahead of the rules, and shows the headers of limits. */
    protected abstract Class<?> applicationWithCors();

    @BeforeAll
    void open() {
        usual = start();
        oneFile = start(
                "limiter.http.files.path=/files/hello.txt,/files/open/**",
                "limiter.http.files.exclude=/files/open/",
                "limiter.http.shared.exempt-addresses=198.51.100.0/24,2001:db8::7",
                "limiter.http.spare.path=/spare",
                "limiter.http.spare.key=header:X-Api-Key",
                "limiter.http.spare.plan=#{user()}",
                "limiter.http.spare.limits.one.rate=5",
                "limiter.http.spare.limits.one.per=1h",
                "limiter.http.spare.limits.one.capacity=5",
                "limiter.http.spare.limits.one.leave=40%",
                "limiter.http.spare.limits.one.plans.paying.leave=1",
                "limiter.http.keyed.limits.one.limit=10",
                "limiter.http.keyed.limits.one.leave=20%",
                "limiter.http.keyed.limits.two.rate=3",
                "limiter.http.keyed.limits.two.per=1d",
                "limiter.http.keyed.limits.two.capacity=3");
    }

    /** Rules of one request an hour. */
    @Override
    protected List<String> settings() {
        List<String> settings = new ArrayList<>(List.of("key.trusted-proxies=127.0.0.0/8,::1"));
        String rule = "";
        for (String setting : RULES) {
            if (setting.startsWith("name=")) {
                rule = "http." + setting.substring("name=".length()) + ".";
                settings.add(rule + "limits.one.limit=1");
                settings.add(rule + "limits.one.per=3600");
            } else {
                settings.add(rule + setting);
            }
        }
        return settings;
    }

    @Test
    void the_address_is_the_forwarded_one_if_the_framework_reads_forwarded_headers() throws Exception {
        ConfigurableApplicationContext framework = start("server.forward-headers-strategy=framework");
        String random = UUID.randomUUID().toString();
        String ipv6 = "[2001:db8:" + random.substring(0, 4) + ":" + random.substring(4, 8) + "::1]";
        for (String caller : new String[] {address(), ipv6}) {
            String[] headers = {"X-Forwarded-For", caller};
            assertThat(call("GET", framework, "/shared", headers).statusCode()).isEqualTo(200);
            assertThat(call("GET", framework, "/shared", headers).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void requests_from_an_exempt_address_are_not_limited_and_no_caller_can_choose_one() throws Exception {
        for (String exempt : new String[] {"198.51.100.4", "[2001:db8::7]"}) {
            for (int i = 0; i < 3; i++) {
                Reply granted = call("GET", oneFile, "/shared", "X-Forwarded-For", exempt);
                assertThat(granted.statusCode()).isEqualTo(200);
                assertThat(granted.headers()).doesNotContainKey("RateLimit");
            }
        }
        String caller = address();
        assertThat(call("GET", oneFile, "/shared", "X-Forwarded-For", "198.51.100.4, " + caller)
                        .statusCode())
                .isEqualTo(200);
        assertThat(call("GET", oneFile, "/shared", "X-Forwarded-For", caller).statusCode())
                .isEqualTo(429);
        String[] both = {"X-Forwarded-For", "198.51.100.4", "Forwarded", "for=" + caller};
        call("GET", oneFile, "/shared", both);
        assertThat(call("GET", oneFile, "/shared", both).statusCode()).isEqualTo(429);
    }

    /** The application has such a filter ahead of all others. */
    @ParameterizedTest
    @ValueSource(strings = {"X-Rewritten", "X-Remote"})
    void a_filter_that_changes_a_request_neither_exempts_nor_limits_it(String changing) throws Exception {
        String[] other = {"X-Forwarded-For", address(), changing, "198.51.100.4"};
        assertThat(call("GET", oneFile, "/shared", other).headers()).containsKey("RateLimit");
        assertThat(call("GET", oneFile, "/left?rule=shared", other).body()).contains("\"name\":\"shared\"");
        String[] exempt = {"X-Forwarded-For", "198.51.100.4", changing, address()};
        assertThat(call("GET", oneFile, "/shared", exempt).headers()).doesNotContainKey("RateLimit");
        assertThat(call("GET", oneFile, "/left?rule=shared", exempt).body()).isEqualTo("[]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/login;a=1", "/login;a=2", "/%6cogin", "/%6Cogin;b"})
    void all_forms_of_a_path_have_one_key(String form) throws Exception {
        String[] caller = {"X-Forwarded-For", address()};
        assertThat(get("/login", caller).statusCode()).isEqualTo(200);
        assertThat(get(form, caller).statusCode()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/files%2Fhello.txt",
                "//files/hello.txt",
                "/files//hello.txt",
                "/./files/hello.txt",
                "/files/./hello.txt",
                "/%2e/files/hello.txt",
                "/x/../files/hello.txt",
                "/x/%2E%2E/files/hello.txt",
                "/%5Cfiles%5Chello.txt",
                "/files/%68ello.txt",
                "/files/hello.txt/",
                "/files/hello.txt;a=1"
            })
    void all_forms_of_a_file_have_one_key(String form) throws Exception {
        String[] caller = {"X-Forwarded-For", address()};
        assertThat(get("/files/hello.txt", caller).statusCode()).isEqualTo(200);
        assertThat(get(form, caller).body().strip()).isNotEqualTo("hello");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/files/hello.txt/", "//files//hello.txt", "/files/hello%2Etxt"})
    void a_rule_for_a_file_matches_all_forms_of_its_path(String form) throws Exception {
        String[] caller = {"X-Forwarded-For", address()};
        assertThat(call("GET", oneFile, form, caller).body().strip()).isEqualTo("hello");
        assertThat(call("GET", oneFile, form, caller).statusCode()).isEqualTo(429);
    }

    @Test
    void an_exclusion_matches_no_other_form_of_its_path() throws Exception {
        String[] caller = {"X-Forwarded-For", address()};
        for (int i = 0; i < 2; i++) {
            assertThat(call("GET", oneFile, "/files/open/", caller).statusCode())
                    .isEqualTo(404);
        }
        assertThat(call("GET", oneFile, "/files/open//", caller).header("RateLimit"))
                .isPresent();
    }

    @Test
    void a_request_is_limited_under_its_plan_and_the_headers_of_its_response_name_that() throws Exception {
        String key = UUID.randomUUID().toString();
        Reply own = get("/planned", "X-Api-Key", key);
        assertThat(header(own, "RateLimit-Policy")).isEqualTo("\"planned\";q=1;w=3600");
        assertThat(get("/planned", "X-Api-Key", key).statusCode()).isEqualTo(429);
        Reply pro = get("/planned", "X-Api-Key", key, "X-Plan", "pro");
        assertThat(header(pro, "RateLimit-Policy")).isEqualTo("\"planned\";q=3;w=3600");
        assertThat(header(pro, "RateLimit")).startsWith("\"planned\";r=1;");
        assertThat(get("/planned", "X-Api-Key", key, "X-Plan", "pro").statusCode())
                .isNotEqualTo(429);
        Reply rejected = get("/planned", "X-Api-Key", key, "X-Plan", "pro");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(header(rejected, "RateLimit-Policy")).isEqualTo("\"planned\";q=3;w=3600");
        assertThat(problem(rejected).path("violated-policies").toString()).isEqualTo("[\"planned\"]");
        assertThat(problem(rejected).path("retryAfterSeconds").asLong()).isBetween(1L, 3600L);
        Reply unknown = get("/planned", "X-Api-Key", key, "X-Plan", "gold");
        assertThat(unknown.statusCode()).isEqualTo(429);
        assertThat(header(unknown, "RateLimit-Policy")).isEqualTo("\"planned\";q=1;w=3600");
        Reply day = get("/planned", "X-Api-Key", key, "X-Plan", "day");
        assertThat(header(day, "RateLimit-Policy")).isEqualTo("\"planned\";q=1;w=86400");
    }

    @Test
    void an_unlimited_plan_leaves_the_limit_out() throws Exception {
        String key = UUID.randomUUID().toString();
        for (int i = 0; i < 3; i++) {
            Reply staff = get("/staffed", "X-Api-Key", key, "X-User", "staff");
            assertThat(staff.statusCode()).isEqualTo(404);
            assertThat(staff.headers()).doesNotContainKey("RateLimit");
        }
        assertThat(get("/staffed", "X-Api-Key", key, "X-User", "ann").statusCode())
                .isEqualTo(404);
        assertThat(get("/staffed", "X-Api-Key", key, "X-User", "ann").statusCode())
                .isEqualTo(429);
    }

    @Test
    void a_rule_leaves_permits_to_the_callers_of_a_plan() throws Exception {
        String[] free = {"X-Api-Key", UUID.randomUUID().toString(), "X-User", "ann"};
        for (int remaining = 2; remaining >= 0; remaining--) {
            Reply granted = call("GET", oneFile, "/spare", free);
            assertThat(granted.statusCode()).isEqualTo(404);
            assertThat(header(granted, "RateLimit-Policy")).isEqualTo("\"spare\";q=3;w=3600");
            assertThat(header(granted, "RateLimit")).startsWith("\"spare\";r=" + remaining + ";");
        }
        Reply rejected = call("GET", oneFile, "/spare", free);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(retryAfter(rejected)).as("until there are three of five").isBetween(600L, 720L);
        String[] paying = {"X-Api-Key", free[1], "X-User", "paying"};
        Reply granted = call("GET", oneFile, "/spare", paying);
        assertThat(granted.statusCode()).isEqualTo(404);
        assertThat(header(granted, "RateLimit-Policy")).isEqualTo("\"spare\";q=4;w=3600");
        assertThat(call("GET", oneFile, "/spare", paying).statusCode()).isEqualTo(429);
    }

    @ParameterizedTest
    @CsvSource({
        "/costly?user=ann&n=abc, parameter n",
        "/costly?user=ann&n=12345678901234567890, parameter n",
        "/costly?user=ann&n=-1, parameter n",
        "/costly?user=ann, parameter n",
        "/costly?user=%E2%80%8B&n=1, parameter user",
        "/sized?user=ann&n=1&size=abc, parameter size",
        "/sized?user=ann&n=1&size=abc&size=200, parameter size",
        "/sized?user=ann&n=x&size=200, parameter n",
        "/sized?n=1&size=200, parameter user"
    })
    void whatever_a_caller_sends_is_no_error_of_the_server(String path, String named) throws Exception {
        Reply invalid = get(path);
        assertThat(invalid.statusCode()).isEqualTo(400);
        assertThat(problem(invalid).path("detail").asText()).startsWith("the request has no valid " + named);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/site/keyed", "/site/user", "/site/annotated"})
    void a_rejected_request_takes_nothing_of_other_limits(String path) throws Exception {
        ConfigurableApplicationContext site = start("limiter.http.a-site.limits.one.limit=3");
        String all = UUID.randomUUID().toString();
        String busy = address();
        assertThat(ofSite(site, path, all, busy).statusCode()).isEqualTo(200);
        for (int i = 0; i < 5; i++) {
            Reply rejected = ofSite(site, path, all, busy);
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(problem(rejected).path("violated-policies").toString()).doesNotContain("a-site");
            if (!path.equals("/site/keyed")) {
                assertThat(header(rejected, "RateLimit")).contains("\"a-site\";r=2");
            }
        }
        assertThat(ofSite(site, path, all, address()).statusCode()).isEqualTo(200);
        assertThat(ofSite(site, path, all, address()).statusCode()).isEqualTo(200);
        Reply full = ofSite(site, path, all, address());
        assertThat(full.statusCode()).isEqualTo(429);
        assertThat(problem(full).path("violated-policies").toString()).isEqualTo("[\"a-site\"]");
    }

    @Test
    void of_two_limits_the_one_with_the_longer_wait_rejects() throws Exception {
        ConfigurableApplicationContext site = start("limiter.http.b-each.limits.one.per=1d");
        String all = UUID.randomUUID().toString();
        String caller = address();
        assertThat(ofSite(site, "/site/keyed", all, caller).statusCode()).isEqualTo(200);
        Reply rejected = ofSite(site, "/site/keyed", all, caller);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(problem(rejected).path("violated-policies").toString()).isEqualTo("[\"a-site\",\"b-each\"]");
        assertThat(Long.parseLong(header(rejected, "Retry-After"))).isBetween(80_000L, 86_400L);
    }

    @Test
    void what_is_left_of_a_rule_is_shown_and_nothing_is_taken() throws Exception {
        String[] caller = {"X-Api-Key", UUID.randomUUID().toString()};
        for (int i = 0; i < 2; i++) {
            Reply unused = get("/left?rule=keyed", caller);
            assertThat(unused.body()).isEqualTo("[{\"name\":\"keyed\",\"used\":0,\"remaining\":1}]");
            assertThat(unused.headers()).doesNotContainKey("RateLimit");
        }
        assertThat(get("/keyed", caller).statusCode()).isEqualTo(200);
        JsonNode used = left("keyed", caller);
        assertThat(used).hasSize(1);
        assertThat(used.get(0).path("used").asLong()).isEqualTo(1);
        assertThat(used.get(0).path("remaining").asLong()).isZero();
        assertThat(Instant.parse(used.get(0).path("periodEnd").textValue()))
                .isBetween(Instant.now().minusSeconds(86_400), Instant.now().plusSeconds(86_400));
        Reply without = get("/left?rule=keyed");
        assertThat(without.statusCode()).isEqualTo(400);
        assertThat(problem(without).path("detail").asText()).contains("X-Api-Key");
        Reply unknown = get("/left?rule=keyd", caller);
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.body()).startsWith("there is no rule 'keyd', the nearest names are [keyed, ");
    }

    @Test
    void what_is_left_is_that_of_the_plan_the_user_and_each_limit() throws Exception {
        String[] planned = {"X-Api-Key", UUID.randomUUID().toString(), "X-Plan", "pro"};
        get("/planned", planned);
        assertThat(left("planned", planned).get(0).path("used").asLong()).isEqualTo(1);
        assertThat(left("planned", planned).get(0).path("remaining").asLong()).isEqualTo(2);
        assertThat(left("staffed", "X-Api-Key", planned[1], "X-User", "staff"))
                .as("unlimited")
                .isEmpty();

        String ann = "ann-" + UUID.randomUUID();
        get("/mine", "X-User", ann);
        assertThat(left("mine", "X-User", ann).get(0).path("used").asLong()).isEqualTo(1);
        assertThat(left("mine", "X-User", ann + "2").get(0).path("used").asLong())
                .isZero();
        // Neither its condition nor its cost matters, and the address may be exempt.
        assertThat(left("sized&n=1&user=" + ann).get(0).path("remaining").asLong())
                .isEqualTo(1);
        assertThat(call("GET", oneFile, "/left?rule=shared", "X-Forwarded-For", "198.51.100.4")
                        .body())
                .isEqualTo("[]");

        String[] key = {"X-Api-Key", UUID.randomUUID().toString()};
        assertThat(call("GET", oneFile, "/left?rule=keyed", key).body())
                .as("two of ten are left to others")
                .isEqualTo("[{\"name\":\"keyed/one\",\"used\":0,\"remaining\":8},"
                        + "{\"name\":\"keyed/two\",\"used\":0,\"remaining\":3}]");
        assertThat(call("GET", oneFile, "/keyed", key).statusCode()).isEqualTo(200);
        JsonNode both = new ObjectMapper()
                .readTree(call("GET", oneFile, "/left?rule=keyed", key).body());
        assertThat(both.findValuesAsText("used")).containsExactly("1", "1");
        assertThat(both.findValuesAsText("remaining")).containsExactly("7", "2");
    }

    private JsonNode left(String rule, String... headers) throws Exception {
        Reply reply = get("/left?rule=" + rule, headers);
        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
        return new ObjectMapper().readTree(reply.body());
    }

    private static Reply ofSite(ConfigurableApplicationContext site, String path, String all, String caller)
            throws Exception {
        return call(
                "GET",
                site,
                path,
                "X-Site",
                all,
                "X-Forwarded-For",
                caller,
                "X-Api-Key",
                all + caller,
                "X-Anonymous",
                "yes");
    }

    @Test
    void a_parameter_is_a_number_and_a_user_has_one_key_in_all_forms() throws Exception {
        String user = "ann-" + UUID.randomUUID();
        assertThat(get("/costly?n=0&user=" + user).statusCode()).isNotIn(400, 429);
        assertThat(get("/sized?n=7&size=100&user=" + user).statusCode()).isNotIn(400, 429);
        assertThat(get("/sized?n=7&size=101&user=" + user).statusCode()).isNotIn(400, 429);
        assertThat(get("/sized?n=007&size=102&user=" + user).statusCode()).isEqualTo(429);
        ConfigurableApplicationContext more = start("limiter.http.costly.limits.one.limit=6");
        assertThat(call("GET", more, "/costly?n=3&user=" + user).statusCode()).isNotIn(400, 429);
        assertThat(call("GET", more, "/costly?n=1&user=%20" + user.toUpperCase(Locale.ROOT))
                        .statusCode())
                .isEqualTo(429);
    }

    @Test
    void a_preflight_is_under_no_rule_that_does_not_name_its_method() throws Exception {
        String caller = address();
        for (String path : new String[] {"/keyed", "/shared", "/shared"}) {
            Reply preflight = preflight(path, caller);
            assertThat(preflight.statusCode()).isEqualTo(200);
            assertThat(header(preflight, "Access-Control-Allow-Origin")).isEqualTo(ORIGIN);
            assertThat(preflight.header("RateLimit")).isEmpty();
        }
        assertThat(get("/shared", "X-Forwarded-For", caller).statusCode()).isEqualTo(200);
        assertThat(preflight("/options", caller).statusCode()).isEqualTo(200);
        assertThat(preflight("/options", caller).statusCode()).isEqualTo(429);
    }

    @Test
    void options_that_are_no_preflight_are_limited() throws Exception {
        for (String[] headers : new String[][] {{}, {"Origin", ORIGIN}, {"Access-Control-Request-Method", "GET"}}) {
            List<String> all = new ArrayList<>(List.of("X-Forwarded-For", address()));
            all.addAll(List.of(headers));
            String[] caller = all.toArray(String[]::new);
            assertThat(call("OPTIONS", usual, "/shared", caller).statusCode()).isEqualTo(200);
            assertThat(call("OPTIONS", usual, "/shared", caller).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void a_page_of_another_origin_can_read_a_rejection_if_cors_comes_before_the_rules() throws Exception {
        ConfigurableApplicationContext cors = start(applicationWithCors());
        String[] caller = {"X-Forwarded-For", address(), "Origin", ORIGIN};
        assertThat(call("GET", cors, "/shared", caller).statusCode()).isEqualTo(200);
        Reply rejected = call("GET", cors, "/shared", caller);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(header(rejected, "Access-Control-Allow-Origin")).isEqualTo(ORIGIN);
        assertThat(header(rejected, "Access-Control-Expose-Headers")).contains("Retry-After");
        assertThat(rejected.header("RateLimit")).isPresent();
    }

    @Test
    void anonymous_users_have_their_address_as_key() throws Exception {
        for (String address : new String[] {address(), address()}) {
            String[] caller = {"X-Anonymous", "yes", "X-Forwarded-For", address};
            assertThat(get("/mine", caller).statusCode()).isEqualTo(200);
            assertThat(get("/mine", caller).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void rules_are_not_for_a_port_of_the_management_alone() throws Exception {
        ConfigurableApplicationContext managed = start(
                "management.server.port=0",
                "limiter.http.login.path=/**",
                "limiter.http.login.key=all",
                "limiter.http.login.name=managed-" + UUID.randomUUID());
        for (int i = 0; i < 3; i++) {
            Reply health = callPort("local.management.port", "GET", managed, "/actuator/health");
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.header("RateLimit")).isEmpty();
        }
        assertThat(call("GET", managed, "/options").statusCode()).isEqualTo(200);
        assertThat(call("GET", managed, "/options").statusCode()).isEqualTo(429);
    }

    /** As Python's clients do. A server closes the connection of a body that nobody has read. */
    @Test
    void a_caller_that_writes_its_whole_upload_first_can_read_the_rejection() throws Exception {
        int length = 9 * 1024 * 1024;
        String caller = address();
        assertThat(get("/shared", "X-Forwarded-For", caller).statusCode()).isEqualTo(200);
        int port = Integer.parseInt(usual.getEnvironment().getRequiredProperty("local.server.port"));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String head = "POST /shared HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: " + caller
                    + "\r\nContent-Type: application/octet-stream\r\nContent-Length: " + length + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(new byte[length]);
            BufferedReader answer =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            assertThat(answer.readLine()).startsWith("HTTP/1.1 429");
        }
    }

    /** A platform kills what does not answer these. */
    @Test
    void health_is_under_no_rule_that_does_not_name_it() throws Exception {
        ConfigurableApplicationContext probed = start(
                "management.endpoints.web.base-path=/ops",
                "management.endpoints.web.path-mapping.health=alive",
                "management.endpoint.health.probes.enabled=true",
                "management.endpoint.health.probes.add-additional-paths=true",
                "management.endpoint.health.group.deep.include=ping",
                "management.endpoint.health.group.deep.additional-path=server:/deep",
                "management.endpoints.web.exposure.include=health,info",
                "limiter.http.login.path=/**",
                "limiter.http.login.key=header:X-Api-Key",
                "limiter.http.login.name=probed-" + UUID.randomUUID());
        for (String path :
                List.of("/ops/alive", "/ops/alive/liveness", "/ops/alive/readiness", "/livez", "/readyz", "/deep")) {
            for (int i = 0; i < 3; i++) {
                Reply health = call("GET", probed, path);
                assertThat(health.statusCode()).as(path).isEqualTo(200);
                assertThat(health.header("RateLimit")).isEmpty();
            }
        }
        // Whatever else is there, or only looks like it.
        for (String path : List.of("/ops/info", "/ops", "/ops/alive2", "/ops/alive/../info", "/actuator/health")) {
            assertThat(call("GET", probed, path).statusCode()).as(path).isEqualTo(400);
        }
    }

    @Test
    void health_is_answered_while_redis_is_unavailable_and_the_policy_denies() throws Exception {
        ConfigurableApplicationContext denying = start(
                "spring.data.redis.url=redis://127.0.0.1:1",
                "management.health.redis.enabled=false",
                "limiter.on-failure=deny",
                "limiter.failure.decision-timeout=200ms",
                "limiter.http.login.path=/**",
                "limiter.http.login.exclude=/left",
                "limiter.http.login.key=all");
        assertThat(call("GET", denying, "/login").statusCode()).isEqualTo(503);
        assertThat(call("GET", denying, "/left?rule=login").body()).contains("\"remaining\":0");
        assertThat(call("GET", denying, "/actuator/health").statusCode()).isEqualTo(200);
    }

    @Test
    void a_rule_that_names_health_limits_it() throws Exception {
        ConfigurableApplicationContext named = start(
                "limiter.http.login.path=/actuator/health",
                "limiter.http.login.key=all",
                "limiter.http.login.name=named-" + UUID.randomUUID());
        assertThat(call("GET", named, "/actuator/health").statusCode()).isEqualTo(200);
        assertThat(call("GET", named, "/actuator/health").statusCode()).isEqualTo(429);
    }

    @Test
    void a_request_waits_for_the_next_window_within_the_timeout() throws Exception {
        ConfigurableApplicationContext waiting = start(
                "limiter.http.login.path=/waits",
                "limiter.http.login.key=all",
                "limiter.http.login.name=waits-" + UUID.randomUUID(),
                "limiter.http.login.limits.one.per=1s",
                "limiter.http.login.limits.one.timeout=10m");
        for (int i = 0; i < 3; i++) {
            assertThat(call("GET", waiting, "/waits").statusCode()).isEqualTo(404);
        }
    }

    private Reply preflight(String path, String address) throws Exception {
        return call(
                "OPTIONS",
                usual,
                path,
                "X-Forwarded-For",
                address,
                "Origin",
                ORIGIN,
                "Access-Control-Request-Method",
                "GET");
    }

    protected final Reply get(String path, String... headers) throws Exception {
        return call("GET", usual, path, headers);
    }
}
