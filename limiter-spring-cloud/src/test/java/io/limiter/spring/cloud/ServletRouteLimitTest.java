package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.client.circuitbreaker.CircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.CircuitBreakerFactory;
import org.springframework.cloud.client.circuitbreaker.ConfigBuilder;
import org.springframework.cloud.gateway.server.mvc.filter.FilterSupplier;
import org.springframework.cloud.gateway.server.mvc.filter.SimpleFilterSupplier;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.ServerResponse;

class ServletRouteLimitTest extends RouteLimitContract {

    private static final TestGateway.Server SERVER = TestGateway.Server.WEBMVC;

    ServletRouteLimitTest() {
        super(SERVER, Repeating.class, "Repeat");
    }

    /** A filter of its own, because that of the gateway needs another library. */
    static class Repeating extends TestGateway.Plain {

        @Bean
        FilterSupplier repeat() {
            return new SimpleFilterSupplier(Repeat.class);
        }
    }

    static final class Repeat {

        public static HandlerFilterFunction<ServerResponse, ServerResponse> repeat() {
            return (request, next) -> {
                ServerResponse response = next.handle(request);
                return response.statusCode().value() == 503 ? next.handle(request) : response;
            };
        }
    }

    /** Its circuit breaker runs the rest of a route on another thread, as that of Resilience4j with a time limit does. */
    static class OnAnotherThread extends TestGateway.Plain {

        @Bean
        CircuitBreakerFactory<Object, ConfigBuilder<Object>> breakers() {
            return new CircuitBreakerFactory<>() {

                @Override
                public CircuitBreaker create(String id) {
                    return new CircuitBreaker() {

                        @Override
                        public <T> T run(Supplier<T> rest, Function<Throwable, T> fallback) {
                            return CompletableFuture.supplyAsync(rest, task -> new Thread(task).start())
                                    .join();
                        }
                    };
                }

                @Override
                protected ConfigBuilder<Object> configBuilder(String id) {
                    return Object::new;
                }

                @Override
                public void configureDefault(Function<String, Object> defaults) {}
            };
        }
    }

    @Test
    void shows_its_limit_behind_a_circuit_breaker_with_those_before_it() {
        try (TestGateway gateway = SERVER.start(
                OnAnotherThread.class,
                SERVER.route(
                        0,
                        "mail",
                        "filters[0]=SetStatus=202",
                        "filters[1]=CircuitBreaker=one",
                        "filters[2]=Limit=mail"),
                List.of(
                        "limiter.http.all.path=/**",
                        "limiter.http.all.key=header:X-Caller",
                        "limiter.http.all.limits.one.rate=9",
                        "limiter.http.mail.key=header:X-Caller",
                        "limiter.http.mail.limits.one.limit=1",
                        "limiter.http.mail.limits.one.per=1h"))) {
            String caller = TestGateway.anyone();
            HttpResponse<String> granted = gateway.send("/mail", caller);
            assertThat(granted.statusCode()).isEqualTo(202);
            assertThat(granted.headers().allValues("RateLimit"))
                    .singleElement()
                    .asString()
                    .startsWith("\"all\";r=8")
                    .contains("\"mail\";r=0")
                    .doesNotContain("upstream");
            assertThat(granted.headers().allValues("RateLimit-Policy"))
                    .singleElement()
                    .asString()
                    .contains("\"all\"", "\"mail\"");
            HttpResponse<String> rejected = gateway.send("/mail", caller);
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(rejected.headers().allValues("RateLimit"))
                    .singleElement()
                    .asString()
                    .contains("\"mail\";r=0");
        }
    }
}
