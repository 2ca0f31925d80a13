package io.limiter.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.testing.Eventually;
import io.limiter.testing.PlainPasswords;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.util.StringUtils;

/** The endpoints behind Spring Boot's own security, which all other tests switch off, and behind rules by role. */
class LimitersEndpointSecurityTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String NAME = "secured-" + UUID.randomUUID();
    private static final Pattern VERSION = Pattern.compile("\"version\":(\\d+)");
    private static final FixedWindow ONCE = FixedWindow.of(1, Duration.ofHours(1));
    private static final String PATH = "limiters/" + NAME + "?key=k";

    private static ConfigurableApplicationContext byDefault;
    private static ConfigurableApplicationContext byRole;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(PlainPasswords.class)
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(PlainPasswords.class)
    static class WithRoles {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(
                            requests -> requests.requestMatchers("/actuator/limiters/**", "/actuator/livelimits/**")
                                    .hasRole("OPERATOR")
                                    .anyRequest()
                                    .permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.ignoringRequestMatchers("/actuator/**"))
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("operator")
                            .password("secret")
                            .roles("OPERATOR")
                            .build(),
                    User.withUsername("privacy")
                            .password("secret")
                            .roles("OPERATOR", "PRIVACY")
                            .build(),
                    User.withUsername("caller").password("secret").roles("USER").build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(PlainPasswords.class)
    static class Reactive {

        @Bean
        SecurityWebFilterChain chain(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().hasRole("OPERATOR"))
                    .httpBasic(Customizer.withDefaults())
                    .csrf(ServerHttpSecurity.CsrfSpec::disable)
                    .build();
        }
    }

    @BeforeAll
    static void start() {
        String[] settings = {
            "--spring.autoconfigure.exclude=",
            "--spring.security.user.name=operator",
            "--spring.security.user.password=secret",
            "--management.endpoint.limiters.access=unrestricted",
            "--management.endpoint.limiters.show-keys=when-authorized",
            "--management.endpoint.livelimits.access=unrestricted"
        };
        byDefault = Operated.connected(Application.class, settings);
        byRole = Operated.connected(
                WithRoles.class,
                StringUtils.addStringToArray(settings, "--management.endpoint.limiters.roles=PRIVACY"));
        byDefault.getBean(LimiterFactory.class).build(NAME, ONCE).tryAcquire("k");
        byRole.getBean(LimiterFactory.class).build(NAME, ONCE).tryAcquire("k");
    }

    @AfterAll
    static void stop() {
        byDefault.close();
        byRole.close();
    }

    @Test
    void by_default_spring_boot_requires_a_login() throws Exception {
        for (String path : new String[] {"limiters", "livelimits", PATH}) {
            assertThat(status(byDefault, "GET", path, "", "")).isEqualTo(401);
            assertThat(status(byDefault, "GET", path, "operator", "guessed")).isEqualTo(401);
            assertThat(status(byDefault, "GET", path, "operator", "secret")).isEqualTo(200);
        }
    }

    @Test
    void a_role_decides_who_sees_and_resets_limits() throws Exception {
        for (String path : new String[] {"limiters", "livelimits", PATH}) {
            assertThat(status(byRole, "GET", path, "", "")).isEqualTo(401);
            assertThat(status(byRole, "GET", path, "caller", "secret")).isEqualTo(403);
            assertThat(status(byRole, "GET", path, "operator", "secret")).isEqualTo(200);
        }
        assertThat(status(byRole, "DELETE", PATH, "", "")).isEqualTo(401);
        assertThat(status(byRole, "DELETE", PATH, "caller", "secret")).isEqualTo(403);
        assertThat(call(byRole, "GET", PATH, "operator", "secret").body()).contains("\"remaining\":0");
        assertThat(status(byRole, "DELETE", PATH, "operator", "secret")).isEqualTo(204);
        Eventually.that(
                () -> assertThat(call(byRole, "GET", PATH, "operator", "secret").body())
                        .contains("\"remaining\":1"));
    }

    @Test
    void keys_are_shown_to_users_with_a_role_or_to_all_if_there_is_none() throws Exception {
        // Again, because counts of hot keys fade.
        byRole.getBean(LimiterFactory.class).build(NAME, ONCE).tryAcquire("k");
        byDefault.getBean(LimiterFactory.class).build(NAME, ONCE).tryAcquire("k");
        String path = "limiters/" + NAME;
        String shown = "\"hottestKeys\":[{\"key\":\"k\",";
        assertThat(call(byRole, "GET", path, "operator", "secret").body())
                .containsPattern("\"hottestKeys\":\\[\\{\"key\":\"[0-9a-f]{16}\"");
        assertThat(call(byRole, "GET", path, "privacy", "secret").body()).contains(shown);
        assertThat(call(byDefault, "GET", path, "operator", "secret").body()).contains(shown);
    }

    @Test
    void a_role_decides_who_changes_live_limits_and_the_user_is_named() throws Exception {
        String limit = "livelimits/" + NAME;
        String put = "{\"limit\":7,\"who\":\"bob\",\"why\":\"night\"}";
        rejectsAllButTheOperator("POST", limit, put);
        HttpResponse<String> changed = post(byRole, limit, "operator", put);
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        assertThat(changed.body()).contains("\"who\":\"operator\",\"why\":\"night\"");
        String remove = limit + "?who=bob&version=" + version(changed.body());
        rejectsAllButTheOperator("DELETE", remove, "");
        assertThat(status(byRole, "DELETE", remove, "operator", "secret")).isEqualTo(204);
        String history = call(byRole, "GET", limit, "operator", "secret").body().replaceFirst(".*\"history\":", "");
        assertThat(history).contains("\"after\":null").contains("\"who\":\"operator\"");
        String rollBack = "{\"rollBack\":" + version(history) + ",\"version\":0}";
        rejectsAllButTheOperator("POST", "livelimits", rollBack);
        HttpResponse<String> back = post(byRole, "livelimits", "operator", rollBack);
        assertThat(back.statusCode()).as(back.body()).isEqualTo(200);
        LiveLimits live = byRole.getBean(LiveLimits.class);
        assertThat(live.get(NAME).orElseThrow().settings()).isEqualTo(LiveSettings.NONE.withLimit(7));
        live.remove(
                NAME, ChangeNote.of("test", ""), live.get(NAME).orElseThrow().version());
    }

    private static void rejectsAllButTheOperator(String method, String path, String body) throws Exception {
        assertThat(call(byRole, method, path, "", "secret", body).statusCode()).isEqualTo(401);
        assertThat(call(byRole, method, path, "caller", "secret", body).statusCode())
                .isEqualTo(403);
    }

    /** The first version that a body shows. */
    private static String version(String body) {
        return VERSION.matcher(body).results().findFirst().orElseThrow().group(1);
    }

    @Test
    void the_user_is_named_in_a_reactive_application_too() throws Exception {
        try (ConfigurableApplicationContext reactive = Operated.connected(
                Reactive.class,
                "--spring.main.web-application-type=reactive",
                "--spring.autoconfigure.exclude=",
                "--spring.security.user.name=operator",
                "--spring.security.user.password=secret",
                "--spring.security.user.roles=OPERATOR",
                "--management.endpoint.livelimits.access=unrestricted")) {
            String limit = "livelimits/reactive-" + NAME;
            String put = "{\"kind\":\"fixed-window\",\"limit\":7,\"who\":\"bob\"}";
            assertThat(post(reactive, limit, "", put).statusCode()).isEqualTo(401);
            HttpResponse<String> changed = post(reactive, limit, "operator", put);
            assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
            assertThat(changed.body()).contains("\"who\":\"operator\"");
            LiveLimits live = reactive.getBean(LiveLimits.class);
            LiveLimit stored = live.get("reactive-" + NAME).orElseThrow();
            live.remove(stored.name(), ChangeNote.of("test", ""), stored.version());
        }
    }

    @ParameterizedTest
    @CsvSource({"limiters,livelimits", "livelimits,limiters"})
    void each_endpoint_is_read_only_unless_its_own_access_is_given(String given, String readOnly) throws Exception {
        try (ConfigurableApplicationContext application = Operated.connected(
                WithRoles.class,
                "--spring.autoconfigure.exclude=",
                "--spring.security.user.name=operator",
                "--spring.security.user.password=secret",
                "--management.endpoint." + given + ".access=unrestricted")) {
            application
                    .getBean(LimiterFactory.class)
                    .build("given-" + NAME, ONCE)
                    .tryAcquire("k");
            String limit = "/given-" + NAME;
            for (String path : new String[] {readOnly, readOnly + limit}) {
                assertThat(status(application, "GET", path, "operator", "secret"))
                        .isEqualTo(200);
                assertThat(post(application, path, "operator", "{\"limit\":7}").statusCode())
                        .isIn(404, 405);
                assertThat(status(application, "DELETE", path, "operator", "secret"))
                        .isIn(404, 405);
            }
            assertThat(status(application, "DELETE", given + limit + "?version=0", "operator", "secret"))
                    .isEqualTo(given.equals("livelimits") ? 204 : 400);
        }
    }

    private static HttpResponse<String> post(
            ConfigurableApplicationContext context, String path, String user, String body) throws Exception {
        return call(context, "POST", path, user, "secret", body);
    }

    private static int status(
            ConfigurableApplicationContext context, String method, String path, String user, String password)
            throws Exception {
        return call(context, method, path, user, password).statusCode();
    }

    private static HttpResponse<String> call(
            ConfigurableApplicationContext context, String method, String path, String user, String password)
            throws Exception {
        return call(context, method, path, user, password, "");
    }

    /** @param user empty for an anonymous caller */
    private static HttpResponse<String> call(
            ConfigurableApplicationContext context,
            String method,
            String path,
            String user,
            String password,
            String body)
            throws Exception {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://localhost:" + port + "/actuator/" + path))
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        if (!user.isEmpty()) {
            byte[] login = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(login));
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
