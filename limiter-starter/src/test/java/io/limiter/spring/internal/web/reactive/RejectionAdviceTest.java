package io.limiter.spring.internal.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.internal.web.Reply;
import io.limiter.spring.internal.web.ServerContract;
import io.limiter.testing.OnNetty;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** WebFlux with advice for all exceptions, which most applications have. */
class RejectionAdviceTest extends ServerContract {

    @RestController
    static class Limited {

        @GetMapping("/once")
        @CountLimit(name = "once", limit = 1, per = "1h")
        public Mono<String> once() {
            return Mono.just("done");
        }

        @GetMapping("/keyed")
        @CountLimit(name = "keyed", key = "#{phone}", limit = 1, per = "1h")
        public Mono<String> keyed(@RequestParam(name = "phone", required = false) String phone) {
            return Mono.just("done");
        }

        @GetMapping("/costly")
        @CountLimit(name = "costly", cost = "#{rows}", limit = 1, per = "1h")
        public Mono<String> costly(@RequestParam("rows") int rows) {
            return Mono.just("done");
        }

        @GetMapping("/broken")
        public Mono<String> broken() {
            return Mono.error(new IllegalStateException("broken"));
        }
    }

    @ControllerAdvice
    static class CatchAll {

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> all() {
            return ResponseEntity.status(500).body("something went wrong");
        }
    }

    @ControllerAdvice
    @Order(0)
    static class Named {

        @ExceptionHandler
        ResponseEntity<String> exceeded(RateLimitExceededException e) {
            return ResponseEntity.status(503).body("own advice");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({OnNetty.class, Limited.class, CatchAll.class})
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class WithNamed {

        @Bean
        Named anAdvice() {
            return new Named();
        }
    }

    @RestController
    static class Elsewhere {

        @GetMapping("/elsewhere")
        @CountLimit(name = "elsewhere", limit = 1, per = "1h")
        public Mono<String> elsewhere() {
            return Mono.just("done");
        }
    }

    @ControllerAdvice(assignableTypes = Elsewhere.class)
    @Order(0)
    static class AdviceOfOneController {

        @ExceptionHandler
        ResponseEntity<String> exceeded(RateLimitExceededException e) {
            return ResponseEntity.status(503).body("advice of one controller");
        }
    }

    @ControllerAdvice
    @Order(1)
    static class Rethrowing {

        @ExceptionHandler(Exception.class)
        void all(Exception e) throws Exception {
            throw e;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Application.class, Elsewhere.class, AdviceOfOneController.class, Rethrowing.class})
    static class WithAdviceOfOneController {}

    @Override
    protected WebApplicationType type() {
        return WebApplicationType.REACTIVE;
    }

    @Override
    protected Class<?> application() {
        return Application.class;
    }

    @Override
    protected List<String> settings() {
        return List.of("type=local");
    }

    @Test
    void an_advice_for_all_exceptions_makes_no_500_of_a_rejection() throws Exception {
        ConfigurableApplicationContext server = start();
        assertThat(call("GET", server, "/once").statusCode()).isEqualTo(200);
        assertThat(retryAfter(call("GET", server, "/once"))).isPositive();
        assertThat(call("GET", server, "/once").statusCode()).isEqualTo(429);
        assertThat(call("GET", server, "/keyed").statusCode()).isEqualTo(400);
        assertThat(call("GET", server, "/costly?rows=-1").statusCode()).isEqualTo(400);
        assertThat(call("GET", server, "/broken").body()).isEqualTo("something went wrong");
    }

    @Test
    void an_advice_that_names_the_exception_has_precedence() throws Exception {
        ConfigurableApplicationContext server = start(WithNamed.class);
        call("GET", server, "/once");
        assertThat(call("GET", server, "/once").body()).isEqualTo("own advice");
        assertThat(call("GET", server, "/keyed").statusCode()).isEqualTo(400);
    }

    /** It receives rejections of the other controllers, too. */
    @Test
    void an_advice_for_all_exceptions_can_rethrow_a_rejection_that_advice_of_one_controller_names() throws Exception {
        ConfigurableApplicationContext server = start(WithAdviceOfOneController.class);
        call("GET", server, "/elsewhere");
        assertThat(call("GET", server, "/elsewhere").body()).isEqualTo("advice of one controller");
        call("GET", server, "/once");
        Reply rejected = call("GET", server, "/once");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(retryAfter(rejected)).isPositive();
    }
}
