package io.limiter.spring.internal.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.web.HttpRulesContract;
import io.limiter.spring.internal.web.Reply;
import io.limiter.spring.web.RuleLimits;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;

/** Spring MVC on Tomcat. */
class ServletRulesTest extends HttpRulesContract {

    @CrossOrigin("https://app.example")
    @RestController
    static class Open {

        private final RuleLimits limits;

        Open(RuleLimits limits) {
            this.limits = limits;
        }

        @GetMapping("/left")
        public List<RuleLimits.Left> left(@RequestParam("rule") String rule) {
            return limits.peek(rule);
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.NOT_FOUND)
        public String unknown(IllegalArgumentException e) {
            return e.getMessage();
        }

        @GetMapping({"/login", "/keyed", "/shared", "/options", "/mine", "/site/keyed", "/site/user"})
        public String open() {
            return "done";
        }

        @GetMapping("/site/annotated")
        @RateLimit(name = "annotated", rate = 1.0 / 3600, key = "#{key}", limitType = LimitType.CUSTOM)
        public String annotated(@RequestHeader("X-Api-Key") String key) {
            return "done";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Open open(RuleLimits limits) {
            return new Open(limits);
        }

        /** No servlet of Spring's. */
        @Bean
        ServletRegistrationBean<HttpServlet> services() {
            HttpServlet services = new HttpServlet() {
                private static final long serialVersionUID = 1L;

                @Override
                protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                    response.getWriter().write("served");
                }
            };
            return new ServletRegistrationBean<>(services, "/services/*");
        }

        /** Replaces the address in the forwarded header, or that of the peer. */
        @Bean
        FilterRegistrationBean<Filter> changing() {
            Filter changing =
                    (request, response, chain) -> chain.doFilter(new Changed((HttpServletRequest) request), response);
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(changing);
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return registration;
        }

        private static final class Changed extends HttpServletRequestWrapper {

            private final String rewritten;
            private final String remote;

            Changed(HttpServletRequest request) {
                super(request);
                this.rewritten = request.getHeader("X-Rewritten");
                this.remote = request.getHeader("X-Remote");
            }

            @Override
            public String getRemoteAddr() {
                return remote == null ? super.getRemoteAddr() : remote;
            }

            @Override
            public Enumeration<String> getHeaders(String name) {
                if (!name.equalsIgnoreCase("X-Forwarded-For") || rewritten == null && remote == null) {
                    return super.getHeaders(name);
                }
                return rewritten == null ? Collections.emptyEnumeration() : Collections.enumeration(List.of(rewritten));
            }
        }

        /** As Spring Security does, without a user in the request. */
        @Bean
        FilterRegistrationBean<Filter> login() {
            Filter login = (request, response, chain) -> {
                String user = ((HttpServletRequest) request).getHeader("X-User");
                if (user != null) {
                    SecurityContextHolder.getContext()
                            .setAuthentication(
                                    UsernamePasswordAuthenticationToken.authenticated(user, null, List.of()));
                } else if (((HttpServletRequest) request).getHeader("X-Anonymous") != null) {
                    SecurityContextHolder.getContext()
                            .setAuthentication(new AnonymousAuthenticationToken(
                                    "key", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS")));
                }
                try {
                    chain.doFilter(request, response);
                } finally {
                    SecurityContextHolder.clearContext();
                }
            };
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(login);
            registration.setOrder(-100);
            return registration;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class WithCors {

        @Bean
        FilterRegistrationBean<CorsFilter> cors() {
            CorsConfiguration allowed = new CorsConfiguration();
            allowed.addAllowedOrigin("https://app.example");
            allowed.setExposedHeaders(List.of("RateLimit", "RateLimit-Policy", "Retry-After"));
            UrlBasedCorsConfigurationSource paths = new UrlBasedCorsConfigurationSource();
            paths.registerCorsConfiguration("/**", allowed);
            FilterRegistrationBean<CorsFilter> registration = new FilterRegistrationBean<>(new CorsFilter(paths));
            registration.setOrder(-201);
            return registration;
        }
    }

    @Override
    protected WebApplicationType type() {
        return WebApplicationType.SERVLET;
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
    void patterns_begin_at_the_application_and_not_at_the_servlet() throws Exception {
        ConfigurableApplicationContext mapped = start(
                Application.class,
                "server.servlet.context-path=/ctx",
                "spring.mvc.servlet.path=/app",
                "limiter.http.login.path=/app/**",
                "limiter.http.login.exclude=/app/shared",
                "limiter.http.files.path=/x/**");
        String[] caller = {"X-Forwarded-For", address()};
        assertThat(call("GET", mapped, "/ctx/app/login", caller).statusCode()).isEqualTo(200);
        assertThat(call("GET", mapped, "/ctx/app/login", caller).statusCode()).isEqualTo(429);
        for (String path : new String[] {"/ctx/app/shared", "/ctx/services/x/y"}) {
            Reply open = call("GET", mapped, path, caller);
            assertThat(open.statusCode()).isEqualTo(200);
            assertThat(open.header("RateLimit")).isEmpty();
        }
    }

    /** A platform restarts what does not answer these. */
    @Test
    void health_below_the_path_of_the_servlet_is_under_no_rule_that_does_not_name_it() throws Exception {
        ConfigurableApplicationContext probed = start(
                Application.class,
                "spring.mvc.servlet.path=/api",
                "management.endpoint.health.probes.enabled=true",
                "management.endpoint.health.probes.add-additional-paths=true",
                "management.endpoint.health.group.deep.include=ping",
                "management.endpoint.health.group.deep.additional-path=server:/deep",
                "limiter.http.login.path=/**",
                "limiter.http.login.key=header:X-Api-Key");
        for (String path : List.of("/api/actuator/health", "/api/livez", "/api/readyz", "/api/deep")) {
            Reply health = call("GET", probed, path);
            assertThat(health.statusCode()).as(path).isEqualTo(200);
            assertThat(health.header("RateLimit")).as(path).isEmpty();
        }
        assertThat(call("GET", probed, "/api/livez2").statusCode()).isEqualTo(400);
    }

    @Test
    void slashes_ahead_of_a_servlet_or_the_application_are_no_error() throws Exception {
        assertThat(get("//services/x").body()).isEqualTo("served");
        ConfigurableApplicationContext mapped =
                start(Application.class, "server.servlet.context-path=/ctx", "limiter.http.login.path=/services/**");
        String[] caller = {"X-Forwarded-For", address()};
        assertThat(call("GET", mapped, "//ctx/services/x", caller).body()).isEqualTo("served");
        assertThat(call("GET", mapped, "//ctx//services/x", caller).statusCode())
                .isEqualTo(429);
        assertThat(call("GET", mapped, "/ctx;a=1/services/x", caller).statusCode())
                .isEqualTo(429);
        assertThat(call("GET", mapped, "/c%74x/services/x", caller).statusCode())
                .isEqualTo(429);
    }

    /** Half a minute each: the second one would wait for so long, also if its caller has left. */
    @Test
    void a_call_in_a_leaky_queue_waits_for_ten_seconds_at_most() throws Exception {
        ConfigurableApplicationContext queueing = start(
                Application.class,
                "limiter.http.queue.path=/queue",
                "limiter.http.queue.key=all",
                "limiter.http.queue.name=queue-" + UUID.randomUUID(),
                "limiter.http.queue.limits.one.kind=leaky-queue",
                "limiter.http.queue.limits.one.rate=2",
                "limiter.http.queue.limits.one.per=1m",
                "limiter.http.queue.limits.one.capacity=5");
        assertThat(call("GET", queueing, "/queue").statusCode()).isEqualTo(404);
        assertThat(call("GET", queueing, "/queue").statusCode()).isEqualTo(429);
    }
}
