package io.limiter.test;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.test.redis.EmbeddedRedis;
import io.limiter.test.spring.AutoConfigureLimiter;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.autoconfigure.web.reactive.AutoConfigureWebTestClient;
import org.springframework.boot.test.autoconfigure.web.reactive.WebFluxTest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Limits in tests of WebFlux. */
@TestPropertySource(
        properties = {
            "spring.main.web-application-type=reactive",
            // On a busy machine, the first response takes longer than the default of 5 s.
            "spring.test.webtestclient.timeout=1m",
            "limiter.http.page.path=/page",
            // Without a server there is no address.
            "limiter.http.page.key=all",
            "limiter.http.page.limits.all.limit=1",
            "limiter.http.page.limits.all.per=1m"
        })
@ContextConfiguration(classes = ReactiveLimitsTest.Application.class)
class ReactiveLimitsTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @RestController
    static class Controller {

        @GetMapping("/code")
        @CountLimit(name = "code", key = "#{phone}", limit = 1, per = "1m")
        public Mono<String> code(@RequestParam String phone) {
            return Mono.just("sent");
        }

        @GetMapping("/page")
        public Mono<String> page() {
            return Mono.just("page");
        }
    }

    @Nested
    @WebFluxTest(Controller.class)
    @Import(Controller.class)
    @AutoConfigureLimiter
    class Slice {

        @Test
        void a_slice_has_limits(@Autowired WebTestClient http, @Autowired TestClock clock) {
            for (String path : new String[] {"/code?phone=1", "/page"}) {
                http.get().uri(path).exchange().expectStatus().isOk();
                http.get().uri(path).exchange().expectStatus().isEqualTo(429);
                clock.advance(Duration.ofMinutes(1));
                http.get().uri(path).exchange().expectStatus().isOk();
            }
        }
    }

    @Nested
    @SpringBootTest
    @AutoConfigureWebTestClient
    @Import(Controller.class)
    @EmbeddedRedis
    class OnRedis {

        /** The second repetition would be rejected by what the first has taken. */
        @RepeatedTest(2)
        void an_application_decides_in_it_and_each_test_starts_with_all_permits(@Autowired WebTestClient http) {
            for (String path : new String[] {"/code?phone=1", "/page"}) {
                http.get().uri(path).exchange().expectStatus().isOk();
                http.get().uri(path).exchange().expectStatus().isEqualTo(429);
            }
        }
    }
}
