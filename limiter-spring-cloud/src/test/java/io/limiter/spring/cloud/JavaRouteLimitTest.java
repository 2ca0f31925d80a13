package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Eventually;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** Routes in Java with the filter Limit. */
class JavaRouteLimitTest {

    private static TestGateway reactive;
    private static TestGateway servlet;

    static class Reactive extends TestGateway.Application {

        @Bean
        RouteLocator mail(RouteLocatorBuilder routes, LimitGatewayFilterFactory limit) {
            return routes.routes()
                    .route(
                            "mail",
                            route -> route.path("/mail")
                                    .filters(filters ->
                                            filters.filter(limit.apply(arguments -> arguments.setRule("mail"))))
                                    .uri(TestGateway.upstreamUri()))
                    .build();
        }
    }

    static class Servlet extends TestGateway.Plain {

        @Bean
        RouterFunction<ServerResponse> mail() {
            return RouterFunctions.route()
                    .GET("/mail", request -> ServerResponse.noContent().build())
                    .filter(LimitFilterFunctions.limit("mail"))
                    .build();
        }

        @Bean
        RouterFunction<ServerResponse> later() {
            return RouterFunctions.route()
                    .GET(
                            "/later",
                            request -> ServerResponse.async(CompletableFuture.supplyAsync(() -> ServerResponse.ok()
                                    .contentType(MediaType.APPLICATION_JSON)
                                    .body("{\"usage\":{\"total_tokens\":42}}"))))
                    .filter(LimitFilterFunctions.limit("later"))
                    .build();
        }

        @Bean
        RouterFunction<ServerResponse> byCaller() {
            return onAnotherThread("by-caller");
        }

        @Bean
        RouterFunction<ServerResponse> byUser() {
            return onAnotherThread("by-user");
        }

        /** Behind a filter that handles requests on another thread, as a circuit breaker with a time limit does. */
        private static RouterFunction<ServerResponse> onAnotherThread(String rule) {
            return RouterFunctions.route()
                    .GET("/" + rule, request -> ServerResponse.ok().body("sent"))
                    .filter((request, next) -> {
                        FutureTask<ServerResponse> handled = new FutureTask<>(() -> next.handle(request));
                        new Thread(handled).start();
                        return handled.get();
                    })
                    .filter(LimitFilterFunctions.limit(rule))
                    .build();
        }

        /** Requests know their user on the thread of their dispatch alone, as those of Spring Security do. */
        @Bean
        Filter users() {
            ThreadLocal<String> user = new ThreadLocal<>();
            return (request, response, chain) -> {
                HttpServletRequest called = (HttpServletRequest) request;
                user.set(called.getHeader("X-Caller"));
                try {
                    chain.doFilter(
                            new HttpServletRequestWrapper(called) {
                                @Override
                                public Principal getUserPrincipal() {
                                    String name = user.get();
                                    return name == null ? null : () -> name;
                                }
                            },
                            response);
                } finally {
                    user.remove();
                }
            };
        }
    }

    @BeforeAll
    static void start() {
        reactive = TestGateway.Server.WEBFLUX.start(Reactive.class, rule("mail", "header:X-Caller"));
        servlet = TestGateway.Server.WEBMVC.start(
                Servlet.class,
                rule("mail", "header:X-Caller"),
                rule("by-caller", "header:X-Caller"),
                rule("by-user", "user"),
                List.of(
                        "limiter.http.later.key=header:X-Caller",
                        "limiter.http.later.cost=50",
                        "limiter.http.later.settle=response-json:/usage/total_tokens",
                        "limiter.http.later.limits.one.limit=1000",
                        "limiter.http.later.limits.one.per=1h"));
    }

    @AfterAll
    static void stop() {
        reactive.close();
        servlet.close();
    }

    private static List<String> rule(String name, String key) {
        String rule = "limiter.http." + name;
        return List.of(rule + ".key=" + key, rule + ".limits.one.limit=1", rule + ".limits.one.per=1h");
    }

    private static void grantsOne(TestGateway gateway) {
        String caller = TestGateway.anyone();
        assertThat(gateway.send("/mail", caller).statusCode()).isEqualTo(204);
        assertThat(gateway.send("/mail", caller).statusCode()).isEqualTo(429);
    }

    @Test
    void works_on_the_reactive_server() {
        grantsOne(reactive);
    }

    @Test
    void shows_its_rule_as_the_filters_of_the_gateway_show_their_arguments() {
        assertThat(reactive.context()
                        .getBean("cachedCompositeRouteLocator", RouteLocator.class)
                        .getRoutes()
                        .flatMapIterable(Route::getFilters)
                        .map(Object::toString)
                        .collectList()
                        .block())
                .containsExactly("[[Limit rule = 'mail'], order = 0]");
    }

    @Test
    void works_on_the_servlet_server() {
        grantsOne(servlet);
    }

    @Test
    void works_on_the_servlet_server_behind_a_filter_with_threads_of_its_own() {
        String caller = TestGateway.anyone();
        HttpResponse<String> granted = servlet.send("/by-caller", caller);
        assertThat(granted.body()).isEqualTo("sent");
        assertThat(granted.headers().firstValue("RateLimit").orElse("none")).startsWith("\"by-caller\";r=0");
        assertThat(servlet.send("/by-caller", caller).statusCode()).isEqualTo(429);
    }

    @Test
    void an_asynchronous_response_on_the_servlet_server_says_the_cost() {
        String caller = TestGateway.anyone();
        HttpResponse<String> response = servlet.send("/later", caller);
        assertThat(response.body()).contains("42");
        assertThat(response.headers().firstValue("RateLimit").orElse("none")).startsWith("\"later\";r=950");
        Limiter tokens = servlet.context()
                .getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withPrefix("httpLimit:"))
                .build("later", FixedWindow.of(1000, Duration.ofHours(1)))
                .on(caller);
        Eventually.that(() -> assertThat(1000 - tokens.peek().remaining()).isEqualTo(42));
    }

    @Test
    void users_of_one_address_have_permits_of_their_own_behind_a_filter_with_threads_of_its_own() {
        String caller = TestGateway.anyone();
        assertThat(servlet.send("/by-user", caller).statusCode()).isLessThan(300);
        assertThat(servlet.send("/by-user", TestGateway.anyone()).statusCode()).isLessThan(300);
        assertThat(servlet.send("/by-user", caller).statusCode()).isEqualTo(429);
    }

    @Test
    void a_rule_must_have_a_name() {
        assertThatNullPointerException()
                .isThrownBy(() -> LimitFilterFunctions.limit(null))
                .withMessage("rule must be the name of a rule of limiter.http, was null");
    }
}
