package io.limiter.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.test.TestClock;
import io.limiter.test.redis.EmbeddedRedis;
import io.limiter.test.spring.AutoConfigureLimiter;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.boot.webtestclient.autoconfigure.AutoConfigureWebTestClient;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** What docs/testing.md says of slices and the embedded Redis, on Spring Boot 4. The module limiter-test has the tests on 3.5. */
@TestPropertySource(
        properties = {
            "limiter.http.page.path=/page",
            // Without a server there is no address.
            "limiter.http.page.key=all",
            "limiter.http.page.limits.all.limit=1",
            "limiter.http.page.limits.all.per=1m"
        })
class SlicesTest {

    private static final String[] PATHS = {"/code?phone=1", "/page"};

    @SpringBootConfiguration
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
    @WebMvcTest(Controller.class)
    @Import(Controller.class)
    @AutoConfigureLimiter
    class Mvc {

        @Test
        void a_slice_has_limits(@Autowired MockMvcTester http, @Autowired TestClock clock) {
            for (String path : PATHS) {
                assertThat(http.get().uri(path)).hasStatus(200);
                assertThat(http.get().uri(path)).hasStatus(429);
                clock.advance(Duration.ofMinutes(1));
                assertThat(http.get().uri(path)).hasStatus(200);
            }
        }
    }

    @Nested
    @WebFluxTest(Controller.class)
    @Import(Controller.class)
    @AutoConfigureLimiter
    class WebFlux {

        @Test
        void a_slice_has_limits(@Autowired WebTestClient http, @Autowired TestClock clock) {
            for (String path : PATHS) {
                http.get().uri(path).exchange().expectStatus().isOk();
                http.get().uri(path).exchange().expectStatus().isEqualTo(429);
                clock.advance(Duration.ofMinutes(1));
                http.get().uri(path).exchange().expectStatus().isOk();
            }
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @AutoConfigureMockMvc
    @Import(Controller.class)
    @EmbeddedRedis
    class MvcOnRedis {

        /** The second repetition would be rejected by what the first has taken. */
        @RepeatedTest(2)
        void an_application_decides_in_it_and_each_test_starts_with_all_permits(@Autowired MockMvcTester http) {
            for (String path : PATHS) {
                assertThat(http.get().uri(path)).hasStatus(200);
                assertThat(http.get().uri(path)).hasStatus(429);
            }
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class, properties = "spring.main.web-application-type=reactive")
    @AutoConfigureWebTestClient
    @Import(Controller.class)
    @EmbeddedRedis
    class WebFluxOnRedis {

        @RepeatedTest(2)
        void an_application_decides_in_it_and_each_test_starts_with_all_permits(@Autowired WebTestClient http) {
            for (String path : PATHS) {
                http.get().uri(path).exchange().expectStatus().isOk();
                http.get().uri(path).exchange().expectStatus().isEqualTo(429);
            }
        }
    }
}
