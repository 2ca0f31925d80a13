package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.internal.web.ChargedResponsesContract;
import io.limiter.testing.OnNetty;
import java.time.Duration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;

/** WebFlux on Netty. */
class WebFluxChargedResponsesTest extends ChargedResponsesContract {

    @RestController
    static class Answers {

        @GetMapping("/answer/{status}")
        public Mono<ResponseEntity<String>> answer(@PathVariable("status") int status) {
            return Mono.just(ResponseEntity.status(status).build());
        }

        @GetMapping("/answer/later/{status}")
        public Mono<ResponseEntity<String>> later(@PathVariable("status") int status) {
            return Mono.delay(Duration.ofMillis(1)).flatMap(none -> answer(status));
        }

        @GetMapping("/answer/exception/{status}")
        public Mono<String> exception(@PathVariable("status") int status) {
            return Mono.error(new ResponseStatusException(HttpStatusCode.valueOf(status)));
        }

        @GetMapping("/throw/unhandled")
        public Mono<String> unhandled() {
            return Mono.error(new UnsupportedOperationException("no handler"));
        }

        @GetMapping("/throw/nothing")
        public Mono<String> nothing() {
            return Mono.just("done");
        }

        @GetMapping("/twice-limited/by-rule")
        public Mono<ResponseEntity<String>> limitedByRule() {
            return answer(404);
        }

        @GetMapping("/twice-limited/by-method")
        @CountLimit(name = "rejects", key = "#{who}", limit = 1, per = "1h")
        public Mono<ResponseEntity<String>> limitedByMethod(@RequestParam("who") String who) {
            return answer(404);
        }

        @GetMapping("/annotated/{status}")
        @CountLimit(name = "charged", key = "#{who}", limit = 3, per = "1h", chargeOn = "401, 403")
        public Mono<ResponseEntity<String>> annotated(
                @PathVariable("status") int status, @RequestParam("who") String who) {
            return answer(status);
        }

        @GetMapping("/annotated/later/{status}")
        @CountLimit(name = "charged", key = "#{who}", limit = 3, per = "1h", chargeOn = "401, 403")
        public Mono<ResponseEntity<String>> annotatedLater(
                @PathVariable("status") int status, @RequestParam("who") String who) {
            return later(status);
        }

        @GetMapping("/annotated/exception/{status}")
        @CountLimit(name = "charged", key = "#{who}", limit = 3, per = "1h", chargeOn = "401, 403")
        public Mono<String> annotatedException(@PathVariable("status") int status, @RequestParam("who") String who) {
            return exception(status);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OnNetty.class)
    static class Application {

        @Bean
        Answers answers() {
            return new Answers();
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
