package io.limiter.spring.internal.web.reactive;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.internal.web.AnswerContract;
import io.limiter.testing.OnNetty;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** WebFlux on Netty. */
class WebFluxAnswerTest extends AnswerContract {

    static class Service {

        @CountLimit(limit = 1, name = "hour", limitType = LimitType.CUSTOM, key = "#{run}", per = "1h")
        public Mono<Void> hour(String run) {
            return Mono.empty();
        }

        @CountLimit(
                name = "minutes",
                limitType = LimitType.CUSTOM,
                key = "#{run}",
                limit = 2,
                per = "10m",
                cost = "#{2}")
        public Mono<Void> minutes(String run) {
            return Mono.empty();
        }

        @CountLimit(
                name = "huge",
                limitType = LimitType.CUSTOM,
                key = "#{run}",
                limit = 7,
                per = "10m",
                cost = "#{run.length()}")
        public Mono<Void> huge(String run) {
            return Mono.empty();
        }

        @CountLimit(name = "spent", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, per = "1h")
        @ConcurrentLimit(limit = 1, name = "busy", limitType = LimitType.CUSTOM, key = "#{run}", cost = "#{2}")
        public Mono<Void> refunded(String run) {
            return Mono.empty();
        }

        @CountLimit(limit = 1, name = "keyed", limitType = LimitType.CUSTOM, key = "#{phone}", per = "1h")
        public Mono<Void> keyed(String phone) {
            return Mono.empty();
        }
    }

    @RestController
    static class Limited {

        private final Service service;

        Limited(Service service) {
            this.service = service;
        }

        @GetMapping("/caught")
        public Mono<String> caught(@RequestParam("run") String run) {
            return service.hour(run)
                    .onErrorComplete(RateLimitExceededException.class)
                    .then(service.minutes(run))
                    .thenReturn("done");
        }

        @GetMapping("/never")
        public Mono<String> never(@RequestParam("run") String run) {
            return service.huge(run).thenReturn("done");
        }

        @GetMapping("/refunded")
        public Mono<String> refunded(@RequestParam("run") String run) {
            return service.refunded(run).thenReturn("done");
        }

        @GetMapping("/keyed")
        public Mono<String> keyed(@RequestParam(name = "phone", required = false) String phone) {
            return service.keyed(phone).thenReturn("done");
        }

        @GetMapping("/shared/x")
        public Mono<String> shared() {
            return Mono.just("done");
        }

        @GetMapping({"/tried/header", "/tried/queue", "/tried/several", "/committed"})
        public Mono<String> open() {
            return Mono.just("done");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OnNetty.class)
    static class Application {

        @Bean
        Service service() {
            return new Service();
        }

        @Bean
        Limited limited(Service service) {
            return new Limited(service);
        }

        @Bean
        @Order(-300)
        WebFilter committing() {
            return (exchange, chain) -> {
                if (exchange.getRequest().getHeaders().getFirst(COMMIT) == null) {
                    return chain.filter(exchange);
                }
                ServerHttpResponse response = exchange.getResponse();
                DataBuffer begun = response.bufferFactory().wrap("begun".getBytes(StandardCharsets.UTF_8));
                return response.writeWith(Mono.just(begun)).then(chain.filter(exchange));
            };
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
}
