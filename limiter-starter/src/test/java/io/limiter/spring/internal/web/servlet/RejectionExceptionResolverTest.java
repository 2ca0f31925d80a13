package io.limiter.spring.internal.web.servlet;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.internal.web.RejectionResponses;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.RequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** What only Spring MVC has. What callers see is in {@link io.limiter.spring.internal.web.HttpContract}. */
class RejectionExceptionResolverTest {

    @RestController
    static class Limited {

        private final Service service;

        Limited(Service service) {
            this.service = service;
        }

        @GetMapping("/ip")
        @CountLimit(limit = 1, limitType = LimitType.IP, per = "1m")
        public String ip() {
            return "done";
        }

        @GetMapping("/service")
        public String service() {
            service.call();
            return "done";
        }

        @GetMapping("/wrapped")
        public String wrapped() {
            try {
                service.call();
            } catch (RateLimitExceededException e) {
                throw new IllegalStateException(e);
            }
            return "done";
        }

        @GetMapping("/answered")
        public String answered() {
            try {
                service.call();
            } catch (RateLimitExceededException e) {
                throw new Teapot(e);
            }
            return "done";
        }
    }

    @ResponseStatus(HttpStatus.I_AM_A_TEAPOT)
    static class Teapot extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Teapot(Throwable cause) {
            super(cause);
        }
    }

    static class Service {

        @CountLimit(limit = 1, per = "1m")
        public void call() {}
    }

    @Configuration(proxyBeanMethods = false)
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
        RouterFunction<ServerResponse> functional(Service service) {
            return RouterFunctions.route()
                    .GET("/functional", request -> {
                        service.call();
                        return ServerResponse.ok().build();
                    })
                    .build();
        }
    }

    @ControllerAdvice
    @Order(0)
    static class OwnAdvice {

        @ExceptionHandler
        ResponseEntity<String> handle(RateLimitExceededException e) {
            return ResponseEntity.status(503).body("own advice");
        }
    }

    private final WebApplicationContextRunner runner =
            Contexts.web().withConfiguration(Contexts.mvc()).withUserConfiguration(Application.class);

    @Test
    void without_trusted_proxies_forwarded_headers_do_not_count() {
        RequestBuilder first = get("/ip", request -> request.addHeader("X-Forwarded-For", "198.51.100.1"));
        RequestBuilder second = get("/ip", request -> request.addHeader("X-Forwarded-For", "198.51.100.2"));
        run(runner, mvc -> {
            assertThat(call(mvc, first).getStatus()).isEqualTo(200);
            assertThat(call(mvc, second).getStatus()).isEqualTo(429);
        });
    }

    @ParameterizedTest
    @CsvSource({"/service, 429", "/functional, 429", "/wrapped, 429", "/answered, 418"})
    void a_rejection_within_a_handler_is_answered_also_as_a_cause(String path, int status) {
        run(runner, mvc -> {
            call(mvc, get(path));
            assertThat(call(mvc, get(path)).getStatus()).isEqualTo(status);
        });
    }

    @Test
    void the_applications_advice_wins() {
        run(runner.withBean(OwnAdvice.class), mvc -> {
            call(mvc, get("/service"));
            MockHttpServletResponse rejected = call(mvc, get("/service"));
            assertThat(rejected.getStatus()).isEqualTo(503);
            assertThat(rejected.getContentAsString()).isEqualTo("own advice");
        });
    }

    @ControllerAdvice
    @Order(Ordered.LOWEST_PRECEDENCE)
    static class CatchAll {

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> all() {
            return ResponseEntity.status(500).body("something went wrong");
        }
    }

    @RestController
    static class CatchingItself {

        private final Service service;

        CatchingItself(Service service) {
            this.service = service;
        }

        @GetMapping("/catching")
        public String catching() {
            service.call();
            return "done";
        }

        @GetMapping("/invalid")
        @CountLimit(limit = 1, per = "1m", cost = "#{rows}")
        public String invalid(@RequestParam(name = "rows", defaultValue = "-1") int rows) {
            return "done";
        }

        @ExceptionHandler(Throwable.class)
        ResponseEntity<String> all() {
            return ResponseEntity.status(500).body("something went wrong");
        }
    }

    @ParameterizedTest
    @CsvSource({"/service, 429", "/functional, 429", "/wrapped, 429", "/catching, 429", "/invalid, 400"})
    void a_handler_of_all_exceptions_makes_no_500_of_a_rejection(String path, int status) {
        run(runner.withBean(CatchAll.class).withBean(CatchingItself.class), mvc -> {
            call(mvc, get(path));
            assertThat(call(mvc, get(path)).getStatus()).isEqualTo(status);
        });
    }

    @Test
    void the_applications_advice_that_names_the_exception_wins_over_one_of_all_exceptions() {
        run(runner.withBean(OwnAdvice.class).withBean(CatchAll.class), mvc -> {
            call(mvc, get("/service"));
            assertThat(call(mvc, get("/service")).getContentAsString()).isEqualTo("own advice");
        });
    }

    @RestController
    static class Elsewhere {

        private final Service service;

        Elsewhere(Service service) {
            this.service = service;
        }

        @GetMapping("/elsewhere")
        public String elsewhere() {
            service.call();
            return "done";
        }
    }

    @ControllerAdvice(assignableTypes = Elsewhere.class)
    @Order(0)
    static class AdviceOfOneController {

        @ExceptionHandler
        ResponseEntity<String> handle(RateLimitExceededException e) {
            return ResponseEntity.status(503).body("advice of one controller");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/service", "/functional", "/wrapped"})
    void an_advice_that_names_the_exception_changes_nothing_for_controllers_it_does_not_apply_to(String path) {
        run(runner.withBean(CatchAll.class).withBean(Elsewhere.class).withBean(AdviceOfOneController.class), mvc -> {
            call(mvc, get(path));
            MockHttpServletResponse rejected = call(mvc, get(path));
            assertThat(rejected.getStatus()).isEqualTo(429);
            assertThat(rejected.getHeader("Retry-After")).isNotNull();
            assertThat(call(mvc, get("/elsewhere")).getContentAsString()).isEqualTo("advice of one controller");
        });
    }

    @Test
    void a_handler_of_all_exceptions_in_the_parent_context_makes_no_500_of_a_rejection() {
        try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(CatchAll.class)) {
            run(runner.withParent(parent), mvc -> {
                call(mvc, get("/service"));
                assertThat(call(mvc, get("/service")).getStatus()).isEqualTo(429);
            });
        }
    }

    @Test
    void other_exceptions_are_left_to_a_handler_of_all() {
        RouterFunction<ServerResponse> broken = RouterFunctions.route()
                .GET("/broken", request -> {
                    throw new IllegalStateException("broken");
                })
                .build();
        run(runner.withBean(CatchAll.class).withBean("broken", RouterFunction.class, () -> broken), mvc -> {
            assertThat(call(mvc, get("/broken")).getContentAsString()).isEqualTo("something went wrong");
        });
    }

    @Test
    void the_applications_resolver_wins() {
        HandlerExceptionResolver own = (request, response, handler, exception) -> {
            response.setStatus(599);
            return new ModelAndView();
        };
        run(runner.withBean("own", HandlerExceptionResolver.class, () -> own), mvc -> {
            call(mvc, get("/service"));
            assertThat(call(mvc, get("/service")).getStatus()).isEqualTo(599);
        });
    }

    @Test
    void a_rejection_of_the_applications_own_factory_is_answered() {
        run(runner.withBean(LimiterFactory.class, RecordingLimiterFactory::new), mvc -> {
            call(mvc, get("/service"));
            assertThat(call(mvc, get("/service")).getStatus()).isEqualTo(429);
        });
    }

    @Test
    void other_exceptions_are_left_to_other_resolvers() {
        MockHttpServletResponse response = new MockHttpServletResponse();
        assertThat(resolve(response, new IllegalStateException("other"))).isNull();
        assertThat(response.getStatus()).isEqualTo(HttpServletResponse.SC_OK);
    }

    @Test
    void a_committed_response_is_left_as_it_is() {
        MockHttpServletResponse response = new MockHttpServletResponse();
        response.setCommitted(true);
        Decision rejected = decision(false, 1, 0, 0, 1, 0);
        assertThat(resolve(response, new RateLimitExceededException("k", rejected)))
                .isNull();
        assertThat(response.getStatus()).isEqualTo(HttpServletResponse.SC_OK);
    }

    private static ModelAndView resolve(HttpServletResponse response, Exception exception) {
        RejectionResponses responses = new RejectionResponses(RejectionResponses.Settings.DEFAULT, null);
        return new RejectionExceptionResolver(new ServletRejectionResponses(responses, ServletRequest::getLocale))
                .resolveException(new MockHttpServletRequest(), response, null, exception);
    }

    private interface Calls {
        void on(MockMvc mvc) throws Exception;
    }

    private static void run(WebApplicationContextRunner runner, Calls calls) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            calls.on(MockMvcBuilders.webAppContextSetup(context).build());
        });
    }

    private static RequestBuilder get(String path) {
        return get(path, request -> {});
    }

    /** Not by Spring's own builder, whose methods return another type in Spring 7. */
    private static RequestBuilder get(String path, Consumer<MockHttpServletRequest> customizer) {
        return context -> {
            MockHttpServletRequest request = new MockHttpServletRequest(context, "GET", path);
            customizer.accept(request);
            return request;
        };
    }

    private static MockHttpServletResponse call(MockMvc mvc, RequestBuilder request) throws Exception {
        return mvc.perform(request).andReturn().getResponse();
    }
}
