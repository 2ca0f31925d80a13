package io.limiter.spring.web.reactive;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.web.AnswerContract;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** WebFlux on Netty. */
class WebFluxAnswerTest extends AnswerContract {

    static class Service {

        @CountLimit(name = "hour", limitType = LimitType.CUSTOM, key = "#{run}", period = 3600)
        public Mono<Void> hour(String run) {
            return Mono.empty();
        }

        @CountLimit(
                name = "minutes",
                limitType = LimitType.CUSTOM,
                key = "#{run}",
                limit = 2,
                period = 600,
                cost = "#{2}")
        public Mono<Void> minutes(String run) {
            return Mono.empty();
        }

        @CountLimit(
                name = "huge",
                limitType = LimitType.CUSTOM,
                key = "#{run}",
                limit = 7,
                period = 600,
                cost = "#{run.length()}")
        public Mono<Void> huge(String run) {
            return Mono.empty();
        }

        @CountLimit(name = "keyed", limitType = LimitType.CUSTOM, key = "#{phone}", period = 3600)
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

        @GetMapping("/keyed")
        public Mono<String> keyed(@RequestParam(name = "phone", required = false) String phone) {
            return service.keyed(phone).thenReturn("done");
        }

        @GetMapping("/shared/x")
        public Mono<String> shared() {
            return Mono.just("done");
        }

        @GetMapping({"/tried/header", "/tried/queue", "/tried/several"})
        public Mono<String> open() {
            return Mono.just("done");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(WebFluxHttpTest.OnNetty.class)
    static class Application {

        @Bean
        Service service() {
            return new Service();
        }

        @Bean
        Limited limited(Service service) {
            return new Limited(service);
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
