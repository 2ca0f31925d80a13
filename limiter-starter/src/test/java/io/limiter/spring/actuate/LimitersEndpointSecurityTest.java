package io.limiter.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The endpoint behind Spring Boot's own security, which all other tests switch off, and behind rules by role. */
class LimitersEndpointSecurityTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String NAME = "secured-" + UUID.randomUUID();
    private static final String PATH = "limiters/" + NAME + "?key=k";

    private static ConfigurableApplicationContext byDefault;
    private static ConfigurableApplicationContext byRole;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithRoles {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/actuator/limiters/**")
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
                            .password("{noop}secret")
                            .roles("OPERATOR")
                            .build(),
                    User.withUsername("caller")
                            .password("{noop}secret")
                            .roles("USER")
                            .build());
        }
    }

    @BeforeAll
    static void start() {
        String[] settings = {
            "--spring.autoconfigure.exclude=",
            "--spring.security.user.name=operator",
            "--spring.security.user.password=secret",
            "--limiter.endpoint.writable=true"
        };
        byDefault = Operated.connected(Application.class, settings);
        byRole = Operated.connected(WithRoles.class, settings);
        byDefault
                .getBean(LimiterFactory.class)
                .count(NAME, 1, Duration.ofHours(1))
                .tryAcquire("k");
        byRole.getBean(LimiterFactory.class).count(NAME, 1, Duration.ofHours(1)).tryAcquire("k");
    }

    @AfterAll
    static void stop() {
        byDefault.close();
        byRole.close();
    }

    @Test
    void by_default_spring_boot_asks_for_a_login() throws Exception {
        for (String path : new String[] {"limiters", PATH}) {
            assertThat(status(byDefault, "GET", path, "", "")).isEqualTo(401);
            assertThat(status(byDefault, "GET", path, "operator", "guessed")).isEqualTo(401);
            assertThat(status(byDefault, "GET", path, "operator", "secret")).isEqualTo(200);
        }
    }

    @Test
    void a_role_decides_who_sees_and_resets_limits() throws Exception {
        for (String path : new String[] {"limiters", PATH}) {
            assertThat(status(byRole, "GET", path, "", "")).isEqualTo(401);
            assertThat(status(byRole, "GET", path, "caller", "secret")).isEqualTo(403);
            assertThat(status(byRole, "GET", path, "operator", "secret")).isEqualTo(200);
        }
        assertThat(status(byRole, "DELETE", PATH, "", "")).isEqualTo(401);
        assertThat(status(byRole, "DELETE", PATH, "caller", "secret")).isEqualTo(403);
        assertThat(call(byRole, "GET", PATH, "operator", "secret").body()).contains("\"remaining\":0");
        assertThat(status(byRole, "DELETE", PATH, "operator", "secret")).isEqualTo(204);
        Operated.eventually(
                () -> assertThat(call(byRole, "GET", PATH, "operator", "secret").body())
                        .contains("\"remaining\":1"));
    }

    private static int status(
            ConfigurableApplicationContext context, String method, String path, String user, String password)
            throws Exception {
        return call(context, method, path, user, password).statusCode();
    }

    /** @param user empty for an anonymous caller */
    private static HttpResponse<String> call(
            ConfigurableApplicationContext context, String method, String path, String user, String password)
            throws Exception {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://localhost:" + port + "/actuator/" + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (!user.isEmpty()) {
            byte[] login = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(login));
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
