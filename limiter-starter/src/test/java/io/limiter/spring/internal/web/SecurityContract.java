package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.nimbusds.jose.jwk.source.ImmutableSecret;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwsHeader;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;

/** Limits and the filters of Spring Security, where Spring Boot has them: the same for servlets and for WebFlux. */
public abstract class SecurityContract extends ServerContract {

    private ConfigurableApplicationContext server;

    @Override
    protected List<String> settings() {
        return List.of(
                "key.trusted-proxies=127.0.0.0/8,::1",
                "http.guess.path=/secret/**",
                "http.guess.limits.one.limit=2",
                "http.guess.limits.one.per=3600",
                "http.account.path=/login",
                "http.account.methods=POST",
                "http.account.key=#{param('username')}",
                "http.account.charge-on=401",
                "http.account.limits.one.limit=3",
                "http.account.limits.one.per=3600",
                "http.form.path=/body,/parameters",
                "http.form.key=#{param('who')}",
                "http.form.limits.one.limit=3",
                "http.form.limits.one.per=3600",
                "http.guarded.path=/guarded",
                "http.guarded.key=user,param:who",
                "http.guarded.cost=#{number(param('n') ?: '1')}",
                "http.guarded.limits.one.limit=3",
                "http.guarded.limits.one.per=3600",
                "http.mine.path=/mine/**",
                "http.mine.key=user",
                "http.mine.limits.one.limit=1",
                "http.mine.limits.one.per=3600",
                "http.claimed.path=/claimed",
                "http.claimed.plan=claim:plan",
                "http.claimed.limits.one.limit=1",
                "http.claimed.limits.one.per=3600",
                "http.claimed.limits.one.plans.pro.limit=2",
                "http.organisation.path=/shared-by-teams",
                "http.organisation.key=claim:org",
                "http.organisation.limits.one.limit=4",
                "http.organisation.limits.one.per=3600",
                "http.team.path=/shared-by-teams",
                "http.team.key=claim:org,claim:team",
                "http.team.limits.one.limit=3",
                "http.team.limits.one.per=3600",
                "http.member.path=/shared-by-teams",
                "http.member.key[0]=claim:org",
                "http.member.key[1]=user",
                "http.member.limits.one.limit=2",
                "http.member.limits.one.per=3600",
                "http.by-account.path=/login/account",
                "http.by-account.key=header:X-Account",
                "http.by-account.limits.one.limit=1",
                "http.by-account.limits.one.per=300",
                "http.by-account.limits.one.ban.after=3",
                "http.by-account.limits.one.ban.for=600",
                "http.by-both.path=/login/both",
                "http.by-both.key=#{ip()}/#{header('X-Account')}",
                "http.by-both.limits.one.limit=1",
                "http.by-both.limits.one.per=3600",
                "http.by-both.limits.one.ban.after=3",
                "http.by-both.limits.one.ban.for=600",
                "http.by-address.path=/login/address",
                "http.by-address.limits.one.limit=1",
                "http.by-address.limits.one.per=3600",
                "http.by-address.limits.one.ban.after=3",
                "http.by-address.limits.one.ban.for=600");
    }

    @BeforeAll
    void open() {
        server = start();
    }

    /** Spring Security answers a wrong password with a redirect. */
    @Test
    void a_failed_form_login_is_charged_and_others_are_not() throws Exception {
        String victim = "victim-" + run;
        for (int i = 0; i < 5; i++) {
            assertThat(login(victim, "secret")).isEqualTo(302);
        }
        for (int i = 0; i < 3; i++) {
            int attempt = i;
            // The last response is settled in another thread.
            Eventually.that(() -> assertThat(left(victim)).isEqualTo(3 - attempt));
            assertThat(login(victim, "guess")).isEqualTo(302);
        }
        Eventually.that(() -> assertThat(left(victim)).isZero());
        assertThat(login(victim, "guess")).isEqualTo(429);
        assertThat(login("other-" + run, "guess")).isEqualTo(302);
    }

    protected final long left(String account) {
        return bean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withPrefix("httpLimit:"))
                .build("account", FixedWindow.of(3, Duration.ofHours(1)))
                .on(account)
                .peek()
                .remaining();
    }

    private int login(String user, String password) throws Exception {
        return login(server, user, password);
    }

    protected static int login(ConfigurableApplicationContext on, String user, String password) throws Exception {
        return send("POST", on, "/login", "username=" + user + "&password=" + password)
                .statusCode();
    }

    private HttpResponse<String> post(String path, String form) throws Exception {
        return send("POST", server, path, form);
    }

    private static HttpResponse<String> send(
            String method, ConfigurableApplicationContext to, String path, String form, String... headers)
            throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + to.getEnvironment().getRequiredProperty("local.server.port") + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .method(method, HttpRequest.BodyPublishers.ofString(form));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** It may be signed. */
    @Test
    void a_form_that_was_read_for_its_key_reaches_the_handler_byte_by_byte() throws Exception {
        String form = "x&who=%62" + run + "&&more=1+2&more=%zz&y=";
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> answer = post("/body", form);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo(form);
        }
        assertThat(post("/body", "who=b" + run).statusCode()).isEqualTo(429);
        assertThat(post("/parameters", "more=1&who=c" + run + "&more=2").body()).isEqualTo("c" + run + "[1, 2]");
    }

    /** In Spring MVC, a filter of Spring Boot reads it before all rules, because servers parse only what is posted. */
    @ParameterizedTest
    @ValueSource(strings = {"PUT", "PATCH"})
    void a_form_that_is_not_posted_has_a_key_and_reaches_the_handler(String method) throws Exception {
        String who = method + run;
        String form = "more=1&who=" + who + "&more=2";
        for (int i = 0; i < 3; i++) {
            assertThat(send(method, server, "/parameters", form).body()).isEqualTo(who + "[1, 2]");
        }
        assertThat(send(method, server, "/parameters", form).statusCode()).isEqualTo(429);
        assertThat(send(method, server, "/parameters?who=x" + who, form).statusCode())
                .as("which of them is it?")
                .isEqualTo(400);
        String more = form + "&x=" + "y".repeat(FormBody.LONGEST);
        assertThat(send(method, server, "/parameters", more).statusCode()).isEqualTo(400);
    }

    @Test
    void a_form_in_which_the_protection_against_csrf_has_read_its_token_has_a_key_and_a_cost() throws Exception {
        assertThatGuardedFormsAreLimited(server, "i" + run);
    }

    protected final void assertThatGuardedFormsAreLimited(ConfigurableApplicationContext on, String who)
            throws Exception {
        String form = "more=1&who=" + who + "&more=2";
        assertThat(guarded(on, form).statusCode()).as("no token").isEqualTo(403);
        assertThat(guarded(on, "_csrf=token&n=2&" + form).body()).isEqualTo(who + "[1, 2]");
        assertThat(guarded(on, "_csrf=token&n=2&" + form).statusCode()).isEqualTo(429);
        assertThat(guarded(on, "_csrf=token&" + form).body()).isEqualTo(who + "[1, 2]");
        assertThat(guarded(on, "_csrf=token&" + form).statusCode()).isEqualTo(429);
        assertThat(guarded(on, "_csrf=token&more=1&who=j" + who).statusCode()).isEqualTo(200);
        assertThat(guarded(on, "_csrf=token&more=1").statusCode()).isEqualTo(400);
    }

    private static HttpResponse<String> guarded(ConfigurableApplicationContext on, String form) throws Exception {
        String login = Base64.getEncoder().encodeToString("ann:secret".getBytes(StandardCharsets.UTF_8));
        return send("POST", on, "/guarded", form, "Cookie", "XSRF-TOKEN=token", "Authorization", "Basic " + login);
    }

    @Test
    void the_key_of_a_limited_method_is_a_parameter_of_the_query_or_the_form() throws Exception {
        String who = "f" + run;
        assertThat(post("/limited", "x=1&who=" + who).body()).isEqualTo(who);
        assertThat(post("/limited", "who=" + who).statusCode()).isEqualTo(429);
        assertThat(post("/limited?who=" + who, "x=1").statusCode()).isEqualTo(429);
        assertThat(post("/limited?who=" + who, "who=g" + run).statusCode())
                .as("which of them is it?")
                .isEqualTo(400);
        assertThat(post("/limited", "x=1").statusCode()).isEqualTo(400);
    }

    /** Some servers answer it with an error, and others leave the value out. */
    @Test
    void a_value_of_the_query_that_cannot_be_decoded_does_not_hide_the_one_that_the_handler_sees() throws Exception {
        String who = "h" + run;
        assertThat(post("/limited", "who=" + who).body()).isEqualTo(who);
        for (String other : new String[] {"%zz", "%+f", "%4", "%"}) {
            assertThat(postRaw("/limited?who=" + other + "&who=" + who, "x=1"))
                    .as(other)
                    .isIn(400, 429);
            assertThat(postRaw("/limited?who=" + other, "who=" + who)).as(other).isIn(400, 429);
        }
    }

    /** The status of the answer to a path that no client of Java would send. */
    private int postRaw(String path, String form) throws IOException {
        int port = Integer.parseInt(server.getEnvironment().getRequiredProperty("local.server.port"));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String request = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                    + "application/x-www-form-urlencoded\r\nContent-Length: " + form.length() + "\r\n\r\n" + form;
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            BufferedReader answer =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            return Integer.parseInt(answer.readLine().split(" ", 3)[1]);
        }
    }

    @Test
    void the_key_of_a_limited_method_is_a_claim_of_the_token() throws Exception {
        String address = network() + 1;
        String pro = "pro-" + run;
        assertThat(authorized("/claim", address, "Bearer " + token("a-" + run, pro))
                        .statusCode())
                .isEqualTo(200);
        assertThat(authorized("/claim", address, "Bearer " + token("b-" + run, pro))
                        .statusCode())
                .isEqualTo(429);
        Reply none = get("/claim", address, "", "");
        assertThat(none.statusCode()).isEqualTo(400);
        assertThat(none.body()).contains("the request has no claim plan, which is the key of its limit");
    }

    @Test
    void a_request_without_the_one_value_of_a_form_parameter_has_no_key() throws Exception {
        String who = "d" + run;
        assertThat(post("/body", "other=" + who).statusCode()).isEqualTo(400);
        assertThat(post("/body?who=e" + run, "who=" + who).statusCode()).isEqualTo(400);
        assertThat(post("/body?who=" + who, "who=" + who).statusCode()).isEqualTo(200);
        assertThat(post("/body?who=" + who, "x").statusCode()).isEqualTo(200);
        // More than is read ahead of the handler.
        assertThat(post("/body", "x=" + "y".repeat(FormBody.LONGEST) + "&who=" + who)
                        .statusCode())
                .isEqualTo(400);
    }

    /** A user whose token has claims, as those of OAuth 2. */
    protected static final class Claimant extends User {

        private static final long serialVersionUID = 1L;

        public Claimant(String name) {
            super(name, "{noop}secret", List.of());
        }

        public Map<String, Object> getAttributes() {
            return getUsername().startsWith("pro-") ? Map.of("plan", "pro") : Map.of("plan", List.of("pro"));
        }
    }

    /** What signs and verifies the tokens of callers. */
    protected static final SecretKey TOKEN_KEY =
            new SecretKeySpec("a key of 32 bytes, only for tests".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

    protected <T> T bean(Class<T> type) {
        return server.getBean(type);
    }

    /** @param user empty for an anonymous caller */
    private Reply get(String path, String address, String user, String password) throws Exception {
        byte[] login = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        String basic = user.isEmpty() ? "" : "Basic " + Base64.getEncoder().encodeToString(login);
        return authorized(path, address, basic);
    }

    private Reply authorized(String path, String address, String authorization) throws Exception {
        return call("GET", server, path, "X-Forwarded-For", address, "Authorization", authorization);
    }

    private static String token(String subject, String plan) {
        return token(subject, Map.of("plan", plan));
    }

    private static String token(String subject, Map<String, String> more) {
        JwtClaimsSet claims = JwtClaimsSet.builder()
                .subject(subject)
                .claims(all -> all.putAll(more))
                .build();
        return new NimbusJwtEncoder(new ImmutableSecret<>(TOKEN_KEY))
                .encode(JwtEncoderParameters.from(
                        JwsHeader.with(MacAlgorithm.HS256).build(), claims))
                .getTokenValue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/mine/x", "/user", "/named"})
    void authenticated_callers_have_their_user_as_key_and_others_their_address(String path) throws Exception {
        String network = network();
        for (String user : new String[] {"ann-" + run, "bob-" + run, ""}) {
            assertThat(get(path, network + 1, user, "secret").statusCode())
                    .as(user)
                    .isEqualTo(200);
            assertThat(get(path, network + 1, user, "secret").statusCode())
                    .as(user)
                    .isEqualTo(429);
        }
        assertThat(get(path, network + 2, "ann-" + run, "secret").statusCode())
                .as("the same user from elsewhere")
                .isEqualTo(429);
        assertThat(get(path, network + 2, "", "").statusCode())
                .as("another anonymous caller")
                .isEqualTo(200);
    }

    @Test
    void the_plan_of_a_request_is_a_claim_of_its_user() throws Exception {
        String address = network() + 1;
        for (String user : new String[] {"pro-" + run, "ann-" + run, ""}) {
            Reply first = get("/claimed", network() + 2, user, "secret");
            assertThat(header(first, "RateLimit-Policy"))
                    .as(user)
                    .isEqualTo("\"claimed\";q=" + (user.startsWith("pro-") ? 2 : 1) + ";w=3600");
        }
        assertThat(get("/claimed", address, "ann-" + run, "secret").statusCode())
                .isNotEqualTo(429);
        assertThat(get("/claimed", address, "", "").statusCode())
                .as("one permit, and it is taken")
                .isEqualTo(429);
        assertThat(get("/claimed", address, "pro-" + run, "secret").statusCode())
                .isNotEqualTo(429);
        assertThat(get("/claimed", address, "pro-" + run, "secret").statusCode())
                .isEqualTo(429);
    }

    @Test
    void the_key_and_the_plan_of_a_request_are_claims_of_its_token() throws Exception {
        String ann = "Bearer " + token("jwt-ann-" + run, "pro");
        assertThat(authorized("/mine/x", network() + 1, ann).statusCode()).isNotEqualTo(429);
        assertThat(authorized("/mine/x", network() + 2, ann).statusCode())
                .as("from another address")
                .isEqualTo(429);
        assertThat(authorized("/mine/x", network() + 1, "Bearer " + token("jwt-bob-" + run, "pro"))
                        .statusCode())
                .isNotEqualTo(429);
        assertThat(header(authorized("/claimed", network() + 1, ann), "RateLimit-Policy"))
                .isEqualTo("\"claimed\";q=2;w=3600");
    }

    /** All or nothing: what one of the three rejects uses nothing of the others. */
    @Test
    void an_organisation_its_teams_and_its_members_have_limits_in_one_set_that_says_who_rejected() throws Exception {
        String acme = "acme-" + run;
        assertThat(decided(acme, "red", "ann")).isEmpty();
        assertThat(decided(acme, "red", "ann")).isEmpty();
        assertThat(decided(acme, "red", "ann")).isEqualTo("[\"member\"]");
        assertThat(decided(acme, "blue", "ann"))
                .as("the user in this organisation, whatever the team")
                .isEqualTo("[\"member\"]");
        assertThat(decided(acme, "red", "bob")).as("the third of the team").isEmpty();
        assertThat(decided(acme, "red", "bob")).isEqualTo("[\"team\"]");
        assertThat(decided("other-" + run, "red", "ann"))
                .as("the same user in another organisation")
                .isEmpty();
        assertThat(decided(acme, "blue", "bob"))
                .as("the fourth of the organisation")
                .isEmpty();
        assertThat(decided(acme, "blue", "dan")).isEqualTo("[\"organisation\"]");
        assertThat(decided(acme, "red", "ann")).isEqualTo("[\"member\",\"organisation\",\"team\"]");
    }

    /** The policies that rejected, which the headers have, too; empty if all granted. */
    private String decided(String organisation, String team, String user) throws Exception {
        String token = token(user + "-" + run, Map.of("org", organisation, "team", team));
        Reply reply = authorized("/shared-by-teams", network() + 1, "Bearer " + token);
        String limits = header(reply, "RateLimit");
        if (reply.statusCode() != 429) {
            assertThat(limits).contains("\"member\";r=", "\"organisation\";r=", "\"team\";r=");
            return "";
        }
        JsonNode violated = problem(reply).path("violated-policies");
        violated.forEach(policy -> assertThat(limits).contains("\"" + policy.asText() + "\";r=0"));
        return violated.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/login/both", "/login/address"})
    void a_caller_that_cannot_send_the_key_of_a_victim_cannot_have_it_banned(String path) throws Exception {
        String victim = network() + 1;
        String attacker = network() + 2;
        // The proxy adds the address that the attacker has.
        attackUntilBanned(path, victim + ", " + attacker, attacker);
        assertThat(retryAfter(logIn(path, attacker)))
                .as("the hour of the limit, which ends after the ban")
                .isGreaterThan(600);
        assertThat(logIn(path, victim).statusCode()).isNotEqualTo(429);
    }

    @Test
    void an_account_that_any_caller_can_send_is_banned_by_any_caller() throws Exception {
        attackUntilBanned("/login/account", network() + 2, "ann-" + run);
        Reply banned = logIn("/login/account", network() + 1);
        assertThat(banned.statusCode()).isEqualTo(429);
        assertThat(retryAfter(banned)).as("the ban, which ends after the limit").isBetween(301L, 600L);
    }

    /** @param inKey what the banned key contains */
    private void attackUntilBanned(String path, String from, String inKey) throws Exception {
        assertThat(logIn(path, from).statusCode()).isNotEqualTo(429);
        for (int i = 0; i < 3; i++) {
            Reply rejected = logIn(path, from);
            assertThat(rejected.statusCode()).isEqualTo(429);
        }
        Eventually.that(() -> assertThat(bean(LimiterFactory.class).statistics().totals())
                .filteredOn(each -> each.name().equals(path.replace("/login/", "by-")))
                .flatExtracting(LimiterTotals::bansInEffect)
                .anyMatch(ban -> ban.keys().stream().anyMatch(key -> key.contains(inKey))));
    }

    private Reply logIn(String path, String from) throws Exception {
        return call("GET", server, path, "X-Forwarded-For", from, "X-Account", "ann-" + run);
    }

    @Test
    void limits_come_before_authorization() throws Exception {
        String address = network() + 1;
        Reply first = get("/secret/x", address, "", "");
        assertThat(first.statusCode()).isEqualTo(401);
        assertThat(header(first, "RateLimit")).matches("\"guess\";r=1;t=\\d+");
        assertThat(get("/secret/x", address, "ann", "guessed").statusCode()).isEqualTo(401);
        Reply rejected = get("/secret/x", address, "ann", "secret");
        assertThat(rejected.statusCode()).as("not even who has guessed right").isEqualTo(429);
        assertThat(get("/secret/x", network() + 2, "ann", "secret").statusCode())
                .isEqualTo(200);
    }
}
