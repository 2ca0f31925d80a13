package io.limiter.spring.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.Decision;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.web.RejectionResponseSettings;
import io.limiter.spring.web.RejectionResponses;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
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

class RateLimitExceptionResolverTest {

    @RestController
    static class Limited {

        private final Service service;

        Limited(Service service) {
            this.service = service;
        }

        @GetMapping("/rate")
        @RateLimit(rate = 0.2, burst = 5)
        public String rate() {
            return "done";
        }

        @GetMapping("/sms")
        @CountLimit(limitType = LimitType.CUSTOM, key = "#{phone}", period = 60, message = "one \"sms\" a minute")
        public String sms(@RequestParam("phone") String phone) {
            return phone;
        }

        @GetMapping("/ip")
        @CountLimit(limitType = LimitType.IP, period = 60)
        public String ip() {
            return "done";
        }

        @GetMapping("/user")
        @CountLimit(limitType = LimitType.USER, period = 60)
        public String user() {
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

        @GetMapping("/backend")
        public String backend() {
            throw BackendFailures.notExecuted("k", "Redis is gone");
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

        @CountLimit(period = 60)
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
    static class OwnAdvice {

        @ExceptionHandler
        ResponseEntity<String> handle(RateLimitExceededException e) {
            return ResponseEntity.status(503).body("own advice");
        }
    }

    @RestController
    static class OwnHandler {

        @GetMapping("/own")
        @CountLimit(period = 60)
        public String own() {
            return "done";
        }

        @ExceptionHandler
        public ResponseEntity<String> handle(RateLimitExceededException e) {
            return ResponseEntity.status(509).body("own handler");
        }
    }

    private final WebApplicationContextRunner runner =
            Contexts.web().withConfiguration(Contexts.mvc()).withUserConfiguration(Application.class);

    @Test
    void rejectionBecomes429() {
        run(runner, mvc -> {
            assertThat(call(mvc, get("/rate")).getStatus()).isEqualTo(200);
            MockHttpServletResponse rejected = call(mvc, get("/rate"));
            assertThat(rejected.getStatus()).isEqualTo(429);
            assertThat(rejected.getHeader("Retry-After")).isEqualTo("5");
            assertThat(rejected.getContentType()).isEqualTo("application/problem+json");
            JsonNode problem = new ObjectMapper().readTree(rejected.getContentAsByteArray());
            assertThat(problem.size()).isEqualTo(7);
            assertThat(problem.get("type").asText())
                    .isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
            assertThat(problem.get("violated-policies").size()).isEqualTo(1);
            assertThat(problem.get("title").asText()).isEqualTo("Too Many Requests");
            assertThat(problem.get("status").asInt()).isEqualTo(429);
            assertThat(problem.get("detail").asText()).isEqualTo("Too many requests, try again in 5 s");
            assertThat(problem.get("instance").asText()).isEqualTo("/rate");
            assertThat(problem.get("retryAfterSeconds").asInt()).isEqualTo(5);
        });
    }

    @Test
    void theAcceptHeaderIsIgnored() {
        run(runner, mvc -> {
            call(mvc, get("/rate"));
            assertThat(call(mvc, get("/rate", request -> request.addHeader("Accept", "text/html")))
                            .getStatus())
                    .isEqualTo(429);
            assertThat(call(mvc, get("/rate", request -> request.addHeader("Accept", "application/xml")))
                            .getContentType())
                    .isEqualTo("application/problem+json");
        });
    }

    @Test
    void keysKeepCallersApart() {
        run(runner, mvc -> {
            assertThat(call(mvc, get("/sms", request -> request.setParameter("phone", "1")))
                            .getStatus())
                    .isEqualTo(200);
            assertThat(call(mvc, get("/sms", request -> request.setParameter("phone", "2")))
                            .getStatus())
                    .isEqualTo(200);
            MockHttpServletResponse rejected = call(mvc, get("/sms", request -> request.setParameter("phone", "1")));
            assertThat(rejected.getStatus()).isEqualTo(429);
            assertThat(rejected.getHeader("Retry-After")).isEqualTo("60");
            assertThat(new ObjectMapper()
                            .readTree(rejected.getContentAsByteArray())
                            .get("detail")
                            .asText())
                    .isEqualTo("one \"sms\" a minute");
        });
    }

    @Test
    void aKeyThatIsMissingIsABadRequestAndNoRejection() {
        run(runner, mvc -> {
            RequestBuilder blank = get("/sms", request -> request.setParameter("phone", " "));
            assertThat(call(mvc, blank).getStatus()).isEqualTo(400);
            assertThat(call(mvc, blank).getStatus()).isEqualTo(400);
        });
    }

    @Test
    void usersApartAndAnonymousCallersByAddress() {
        RequestBuilder alice = get("/user", request -> request.setUserPrincipal(() -> "alice"));
        RequestBuilder bob = get("/user", request -> request.setUserPrincipal(() -> "bob"));
        RequestBuilder nobody = get("/user");
        RequestBuilder nobodyElsewhere = get("/user", request -> request.setRemoteAddr("198.51.100.1"));
        run(runner, mvc -> {
            for (RequestBuilder caller : List.of(alice, bob, nobody, nobodyElsewhere)) {
                assertThat(call(mvc, caller).getStatus()).isEqualTo(200);
                assertThat(call(mvc, caller).getStatus()).isEqualTo(429);
            }
        });
    }

    @Test
    void trustedProxiesAreASetting() {
        RequestBuilder first = get("/ip", request -> request.addHeader("X-Forwarded-For", "198.51.100.1"));
        RequestBuilder second = get("/ip", request -> request.addHeader("X-Forwarded-For", "198.51.100.2"));
        run(runner.withPropertyValues("limiter.key.trusted-proxies=10.0.0.0/8,127.0.0.1"), mvc -> {
            assertThat(call(mvc, first).getStatus()).isEqualTo(200);
            assertThat(call(mvc, second).getStatus()).isEqualTo(200);
            assertThat(call(mvc, first).getStatus()).isEqualTo(429);
        });
        run(runner, mvc -> {
            assertThat(call(mvc, first).getStatus()).isEqualTo(200);
            assertThat(call(mvc, second).getStatus()).isEqualTo(429);
        });
    }

    @ParameterizedTest
    @CsvSource({"/service, 429", "/functional, 429", "/wrapped, 429", "/answered, 418"})
    void rejectionsWithinTheApplication(String path, int status) {
        run(runner, mvc -> {
            call(mvc, get(path));
            assertThat(call(mvc, get(path)).getStatus()).isEqualTo(status);
        });
    }

    @Test
    void theApplicationsAdviceWins() {
        run(runner.withBean(OwnAdvice.class), mvc -> {
            call(mvc, get("/rate"));
            MockHttpServletResponse rejected = call(mvc, get("/rate"));
            assertThat(rejected.getStatus()).isEqualTo(503);
            assertThat(rejected.getContentAsString()).isEqualTo("own advice");
        });
    }

    @Test
    void theControllersHandlerWins() {
        run(runner.withBean(OwnHandler.class), mvc -> {
            call(mvc, get("/own"));
            assertThat(call(mvc, get("/own")).getStatus()).isEqualTo(509);
        });
    }

    @Test
    void theApplicationsResolverWins() {
        HandlerExceptionResolver own = (request, response, handler, exception) -> {
            response.setStatus(599);
            return new ModelAndView();
        };
        run(runner.withBean("own", HandlerExceptionResolver.class, () -> own), mvc -> {
            call(mvc, get("/rate"));
            assertThat(call(mvc, get("/rate")).getStatus()).isEqualTo(599);
        });
    }

    @Test
    void a_failure_of_the_backend_is_reduced_capacity() {
        run(runner, mvc -> {
            MockHttpServletResponse rejected = call(mvc, get("/backend"));
            assertThat(rejected.getStatus()).isEqualTo(503);
            assertThat(rejected.getHeader("Retry-After")).isNull();
            assertThat(rejected.getContentAsString())
                    .contains("http-problem-types#temporary-reduced-capacity")
                    .doesNotContain("Redis is gone");
        });
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "999999, 1", "1000000, 1", "1000001, 2", "59000001, 60"})
    void retryAfterIsRoundedUp(long micros, String seconds) throws Exception {
        assertThat(answer(micros).getHeader("Retry-After")).isEqualTo(seconds);
    }

    @Test
    void noRetryAfterWhereWaitingDoesNotHelp() throws Exception {
        MockHttpServletResponse response = answer(Decision.NEVER_MICROS);
        assertThat(response.getStatus()).isEqualTo(429);
        assertThat(response.getHeader("Retry-After")).isNull();
        assertThat(response.getContentAsString()).doesNotContain("retryAfterSeconds");
    }

    @Test
    void leavesOthersAlone() {
        MockHttpServletResponse response = new MockHttpServletResponse();
        RateLimitExceptionResolver resolver = resolver();
        assertThat(resolver.resolveException(
                        new MockHttpServletRequest(), response, null, new IllegalStateException("other")))
                .isNull();
        response.setCommitted(true);
        assertThat(resolver.resolveException(new MockHttpServletRequest(), response, null, rejection(1)))
                .isNull();
        assertThat(response.getStatus()).isEqualTo(HttpServletResponse.SC_OK);
    }

    @Test
    void aReplacedFactoryRejectsTheSameWay() {
        run(runner.withBean(LimiterFactory.class, io.limiter.spring.RecordingLimiterFactory::new), mvc -> {
            call(mvc, get("/rate"));
            assertThat(call(mvc, get("/rate")).getStatus()).isEqualTo(429);
        });
    }

    private static RateLimitExceptionResolver resolver() {
        return new RateLimitExceptionResolver(new ServletRejectionResponses(
                new RejectionResponses(RejectionResponseSettings.DEFAULT, null), ServletRequest::getLocale));
    }

    private static MockHttpServletResponse answer(long retryAfterMicros) {
        MockHttpServletResponse response = new MockHttpServletResponse();
        resolver()
                .resolveException(new MockHttpServletRequest("GET", "/x"), response, null, rejection(retryAfterMicros));
        return response;
    }

    private static RateLimitExceededException rejection(long retryAfterMicros) {
        return new RateLimitExceededException("k", new Decision(false, 1, 0, 0, retryAfterMicros, 0), "no");
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
