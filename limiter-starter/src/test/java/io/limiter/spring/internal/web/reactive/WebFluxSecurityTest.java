package io.limiter.spring.internal.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.security.authentication.UsernamePasswordAuthenticationToken.authenticated;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.internal.web.SecurityContract;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.key.PlanResolver;
import io.limiter.testing.Eventually;
import io.limiter.testing.OnNetty;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.authentication.UserDetailsRepositoryReactiveAuthenticationManager;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.oauth2.jwt.NimbusReactiveJwtDecoder;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.csrf.CookieServerCsrfTokenRepository;
import org.springframework.security.web.server.csrf.ServerCsrfTokenRequestAttributeHandler;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatchers;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** WebFlux on Netty, and one test on Tomcat. */
class WebFluxSecurityTest extends SecurityContract {

    private static final Duration LONG = Duration.ofSeconds(30);

    @RestController
    static class Limited {

        @GetMapping("/user")
        @CountLimit(limit = 1, name = "secured", per = "1h", limitType = LimitType.USER)
        public Mono<String> user() {
            return Mono.just("done");
        }

        @CountLimit(name = "planned", per = "1h", limit = 1, key = "#{key}")
        public Mono<String> planned(String key) {
            return Mono.just("done");
        }

        @GetMapping("/named")
        @CountLimit(limit = 1, name = "named", per = "1h", key = "#{user() != null ? 'user:' + user() : ip()}")
        public Mono<String> named() {
            return Mono.just("done");
        }

        @GetMapping("/claim")
        @CountLimit(limit = 1, name = "claim", per = "1h", key = "claim:plan")
        public Mono<String> claim() {
            return Mono.just("done");
        }

        @PostMapping("/limited")
        @CountLimit(limit = 1, name = "limited", per = "1h", key = "param:who")
        public Mono<String> limited(ServerWebExchange exchange) {
            return exchange.getFormData().mapNotNull(form -> form.getFirst("who"));
        }

        @PostMapping("/body")
        public Mono<Void> body(ServerWebExchange exchange) {
            return exchange.getResponse().writeWith(exchange.getRequest().getBody());
        }

        @RequestMapping({"/parameters", "/guarded"})
        public Mono<String> parameters(ServerWebExchange exchange) {
            return exchange.getFormData().map(form -> form.getFirst("who") + form.get("more"));
        }

        @GetMapping({"/mine/x", "/secret/x"})
        public Mono<String> open() {
            return Mono.just("done");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebFluxSecurity
    static class OnTomcat {

        @Bean
        Limited limited() {
            return new Limited();
        }

        @Bean
        SecurityWebFilterChain chain(ServerHttpSecurity http) {
            return http.authorizeExchange(exchanges -> exchanges
                            .pathMatchers("/secret/**")
                            .authenticated()
                            .anyExchange()
                            .permitAll())
                    .csrf(csrf -> csrf.csrfTokenRepository(CookieServerCsrfTokenRepository.withHttpOnlyFalse())
                            .csrfTokenRequestHandler(new ServerCsrfTokenRequestAttributeHandler())
                            .requireCsrfProtectionMatcher(ServerWebExchangeMatchers.pathMatchers("/guarded")))
                    .formLogin(Customizer.withDefaults())
                    .httpBasic(Customizer.withDefaults())
                    .oauth2ResourceServer(tokens -> tokens.jwt(jwt -> jwt.jwtDecoder(
                            NimbusReactiveJwtDecoder.withSecretKey(TOKEN_KEY).build())))
                    .build();
        }

        @Bean
        PlanResolver plans(CurrentUser user) {
            return request -> String.valueOf(user.name()).startsWith("pro-") ? "pro" : null;
        }

        @Bean
        ReactiveUserDetailsService users() {
            return name -> Mono.just(new Claimant(name));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({OnTomcat.class, OnNetty.class})
    static class Application {}

    /** Asks a directory first, which does not know the local users. */
    @Configuration(proxyBeanMethods = false)
    @Import({OnTomcat.class, OnNetty.class})
    static class TwoManagers {

        @Bean
        ReactiveAuthenticationManager directory() {
            return login -> Mono.error(new BadCredentialsException("unknown user"));
        }

        @Bean
        ReactiveAuthenticationManager local(ReactiveUserDetailsService users) {
            return new UserDetailsRepositoryReactiveAuthenticationManager(users);
        }

        @Bean
        @Primary
        ReactiveAuthenticationManager both(
                @Qualifier("directory") ReactiveAuthenticationManager directory,
                @Qualifier("local") ReactiveAuthenticationManager local) {
            return login -> directory.authenticate(login).onErrorResume(e -> local.authenticate(login));
        }
    }

    /** It fails in the directory before it succeeds, and with a wrong password it fails in both. */
    @Test
    void a_login_that_only_the_second_manager_accepts_is_not_charged() throws Exception {
        ConfigurableApplicationContext on = start(TwoManagers.class);
        String user = "local-" + run;
        for (int i = 0; i < 6; i++) {
            assertThat(login(on, user, "secret")).isEqualTo(302);
        }
        Eventually.that(() -> assertThat(left(user)).isEqualTo(3));
        for (int i = 0; i < 3; i++) {
            assertThat(login(on, user, "guess")).isEqualTo(302);
        }
        assertThat(login(on, user, "secret")).isEqualTo(429);
    }

    @Override
    protected List<String> settings() {
        return Stream.concat(super.settings().stream(), Stream.of("limits.planned.plans.pro.limit=2"))
                .toList();
    }

    @Test
    void a_plan_resolver_knows_the_user_of_a_subscription() {
        Mono<String> call = bean(Limited.class)
                .planned("planned-" + run)
                .contextWrite(
                        ReactiveSecurityContextHolder.withAuthentication(authenticated("pro-" + run, "", List.of())));
        assertThat(call.block(LONG)).isEqualTo("done");
        assertThat(call.block(LONG)).as("the second permit of the plan").isEqualTo("done");
        assertThatThrownBy(() -> call.block(LONG)).isInstanceOf(RateLimitExceededException.class);
    }

    /** The second reader of a body gets an error there, while it finds nothing on Netty. */
    @Test
    void a_form_that_a_filter_has_read_has_a_key_on_tomcat_too() throws Exception {
        assertThatGuardedFormsAreLimited(start(OnTomcat.class), "k" + run);
    }

    @Test
    void without_an_exchange_the_key_is_the_user_of_reactors_context() {
        Mono<String> call = bean(Limited.class).user();
        for (String user : new String[] {"job-" + run, "queue-" + run}) {
            Mono<String> ofUser = call.contextWrite(
                    ReactiveSecurityContextHolder.withAuthentication(authenticated(user, "", List.of())));
            assertThat(ofUser.block(LONG)).as(user).isEqualTo("done");
            assertThatThrownBy(() -> ofUser.block(LONG)).as(user).isInstanceOf(RateLimitExceededException.class);
        }
        assertThatThrownBy(() -> call.block(LONG)).isInstanceOf(MissingLimitKeyException.class);
    }

    @Override
    protected WebApplicationType type() {
        return WebApplicationType.REACTIVE;
    }

    @Override
    protected Class<?> application() {
        return Application.class;
    }
}
