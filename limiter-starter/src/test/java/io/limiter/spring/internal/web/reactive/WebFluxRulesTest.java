package io.limiter.spring.internal.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.web.HttpRulesContract;
import io.limiter.spring.web.ReactiveRuleLimits;
import io.limiter.spring.web.RuleLimits;
import io.limiter.testing.OnNetty;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.cors.reactive.UrlBasedCorsConfigurationSource;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** WebFlux on Netty. */
class WebFluxRulesTest extends HttpRulesContract {

    @CrossOrigin("https://app.example")
    @RestController
    static class Open {

        private final ReactiveRuleLimits limits;

        Open(ReactiveRuleLimits limits) {
            this.limits = limits;
        }

        @GetMapping("/left")
        public Mono<List<RuleLimits.Left>> left(@RequestParam("rule") String rule) {
            return limits.peek(rule);
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.NOT_FOUND)
        public String unknown(IllegalArgumentException e) {
            return e.getMessage();
        }

        @GetMapping({"/login", "/keyed", "/shared", "/options", "/mine", "/site/keyed", "/site/user"})
        public Mono<String> open() {
            return Mono.just("done");
        }

        @GetMapping("/site/annotated")
        @RateLimit(name = "annotated", rate = 1.0 / 3600, key = "#{key}", limitType = LimitType.CUSTOM)
        public Mono<String> annotated(@RequestHeader("X-Api-Key") String key) {
            return Mono.just("done");
        }

        @GetMapping("/thread")
        public Mono<String> thread() {
            return Mono.just(Thread.currentThread().getName());
        }
    }

    /** Spring Boot 4 has a server for the management from Netty's module and another one from Tomcat's, by one name. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = "org.springframework.boot.tomcat.autoconfigure.actuate.web.server"
                    + ".TomcatReactiveManagementContextAutoConfiguration")
    @Import(OnNetty.class)
    static class Application {

        @Bean
        Open open(ReactiveRuleLimits limits) {
            return new Open(limits);
        }

        /** Replaces the address in the forwarded header, or that of the peer. */
        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        WebFilter changing() {
            return (exchange, chain) -> {
                HttpHeaders sent = exchange.getRequest().getHeaders();
                String rewritten = sent.getFirst("X-Rewritten");
                String remote = sent.getFirst("X-Remote");
                ServerHttpRequest.Builder changed = exchange.getRequest().mutate();
                if (rewritten != null) {
                    changed.headers(headers -> headers.set("X-Forwarded-For", rewritten));
                }
                if (remote != null) {
                    // The method that removes one header differs between the lines of Spring.
                    changed.headers(HttpHeaders::clear).remoteAddress(new InetSocketAddress(remote, 0));
                }
                return chain.filter(exchange.mutate().request(changed.build()).build());
            };
        }

        /** As Spring Security does, with the user in Reactor's context and in the exchange. */
        @Bean
        @Order(-100)
        WebFilter login() {
            Authentication anonymous = new AnonymousAuthenticationToken(
                    "key", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));
            return (exchange, chain) -> {
                String user = exchange.getRequest().getHeaders().getFirst("X-User");
                if (user == null && exchange.getRequest().getHeaders().getFirst("X-Anonymous") == null) {
                    return chain.filter(exchange);
                }
                Authentication caller = user == null
                        ? anonymous
                        : UsernamePasswordAuthenticationToken.authenticated(user, null, List.of());
                return chain.filter(
                                exchange.mutate().principal(Mono.just(caller)).build())
                        .contextWrite(ReactiveSecurityContextHolder.withAuthentication(caller));
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class WithCors {

        @Bean
        @Order(-201)
        CorsWebFilter cors() {
            CorsConfiguration allowed = new CorsConfiguration();
            allowed.addAllowedOrigin("https://app.example");
            allowed.setExposedHeaders(List.of("RateLimit", "RateLimit-Policy", "Retry-After"));
            UrlBasedCorsConfigurationSource paths = new UrlBasedCorsConfigurationSource();
            paths.registerCorsConfiguration("/**", allowed);
            return new CorsWebFilter(paths);
        }
    }

    @Override
    protected WebApplicationType type() {
        return WebApplicationType.REACTIVE;
    }

    @Override
    protected Class<?> application() {
        return Application.class;
    }

    @Override
    protected Class<?> applicationWithCors() {
        return WithCors.class;
    }

    @Test
    void a_request_that_has_waited_for_its_decision_continues_on_its_event_loop() throws Exception {
        ConfigurableApplicationContext limited =
                start("limiter.http.thread.path=/thread", "limiter.http.thread.limits.one.rate=1000");
        assertThat(call("GET", limited, "/thread").body()).startsWith("reactor-http-");
    }
}
