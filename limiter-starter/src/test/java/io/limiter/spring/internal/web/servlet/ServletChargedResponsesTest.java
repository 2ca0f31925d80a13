package io.limiter.spring.internal.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.internal.web.ChargedResponsesContract;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Spring MVC on Tomcat. */
class ServletChargedResponsesTest extends ChargedResponsesContract {

    @RestController
    static class Answers {

        @GetMapping("/answer/{status}")
        public ResponseEntity<String> answer(@PathVariable("status") int status) {
            return ResponseEntity.status(status).build();
        }

        @GetMapping("/answer/later/{status}")
        public CompletableFuture<ResponseEntity<String>> later(@PathVariable("status") int status) {
            return CompletableFuture.supplyAsync(() -> answer(status));
        }

        @GetMapping("/answer/exception/{status}")
        public String exception(@PathVariable("status") int status) {
            throw new ResponseStatusException(HttpStatusCode.valueOf(status));
        }

        @GetMapping("/throw/unhandled")
        public String unhandled() {
            throw new UnsupportedOperationException("no handler");
        }

        @GetMapping("/throw/nothing")
        public String nothing() {
            return "done";
        }

        @GetMapping("/twice-limited/by-rule")
        public ResponseEntity<String> limitedByRule() {
            return answer(404);
        }

        @GetMapping("/twice-limited/by-method")
        @CountLimit(name = "rejects", key = "#{who}", limit = 1, per = "1h")
        public ResponseEntity<String> limitedByMethod(@RequestParam("who") String who) {
            return answer(404);
        }

        @GetMapping("/annotated/{status}")
        @CountLimit(name = "charged", key = "#{who}", limit = 3, per = "1h", chargeOn = "401, 403")
        public ResponseEntity<String> annotated(@PathVariable("status") int status, @RequestParam("who") String who) {
            return answer(status);
        }

        @GetMapping("/annotated/later/{status}")
        @CountLimit(name = "charged", key = "#{who}", limit = 3, per = "1h", chargeOn = "401, 403")
        public CompletableFuture<ResponseEntity<String>> annotatedLater(
                @PathVariable("status") int status, @RequestParam("who") String who) {
            return later(status);
        }

        @GetMapping("/annotated/exception/{status}")
        @CountLimit(name = "charged", key = "#{who}", limit = 3, per = "1h", chargeOn = "401, 403")
        public String annotatedException(@PathVariable("status") int status, @RequestParam("who") String who) {
            return exception(status);
        }
    }

    /** Handlers that fail or forward after the decision. */
    @Controller
    static class Forwarding {

        @GetMapping("/annotated/sent/{status}")
        @CountLimit(name = "charged", key = "#{who}", limit = 3, per = "1h", chargeOn = "401, 403")
        public void sent(
                @PathVariable("status") int status, @RequestParam("who") String who, HttpServletResponse response)
                throws IOException {
            response.setStatus(status);
            response.setContentLength(4);
            response.getOutputStream().print("sent");
            response.flushBuffer();
            throw new UnsupportedOperationException("no handler");
        }

        @GetMapping("/twice/sender")
        @CountLimit(name = "failed", key = "#{who}", limit = 3, per = "1h", chargeOn = "failure")
        public String twice(@RequestParam("who") String who) {
            return "forward:/twice/target";
        }

        /** The same limit and key as those of the handler that forwards here. */
        @GetMapping("/twice/target")
        @CountLimit(name = "failed", key = "#{who}", limit = 3, per = "1h", chargeOn = "failure")
        public String target(@RequestParam("who") String who) {
            throw new ResponseStatusException(HttpStatusCode.valueOf(404));
        }

        @GetMapping("/forward/{status}")
        @CountLimit(name = "charged", key = "#{who}", limit = 3, per = "1h", chargeOn = "401, 403")
        public String forward(@PathVariable("status") int status, @RequestParam("who") String who) {
            return "forward:/annotated/" + status;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Forwarding forwarding() {
            return new Forwarding();
        }

        /** Asynchronous servlets that end without another dispatch. */
        @Bean
        ServletRegistrationBean<HttpServlet> completing() {
            HttpServlet servlet = new HttpServlet() {
                private static final long serialVersionUID = 1L;

                @Override
                protected void doGet(HttpServletRequest request, HttpServletResponse response) {
                    AsyncContext async = request.startAsync();
                    int status = Integer.parseInt(request.getPathInfo().substring(1));
                    async.start(() -> {
                        ((HttpServletResponse) async.getResponse()).setStatus(status);
                        async.complete();
                    });
                }
            };
            ServletRegistrationBean<HttpServlet> registration =
                    new ServletRegistrationBean<>(servlet, "/answer/completed/*");
            registration.setAsyncSupported(true);
            return registration;
        }

        @Bean
        Answers answers() {
            return new Answers();
        }
    }

    @Test
    void a_response_that_a_servlet_completes_itself_is_charged_by_its_status() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(status("/answer/completed/404")).isEqualTo(404);
            assertLeft(RULE, "login", 3, 3);
        }
        assertThat(status("/answer/completed/401")).isEqualTo(401);
        assertLeft(RULE, "login", 3, 2);
        reset(RULE, "login");
    }

    /** The second dispatch repeats the decision of the first one. */
    @Test
    void a_forwarded_request_is_charged_and_settled_once() throws Exception {
        assertThat(status("/forward/401")).isEqualTo(401);
        assertLeft(METHOD, "charged", 3, 2);
        for (int i = 0; i < 5; i++) {
            assertThat(status("/forward/404")).isEqualTo(404);
            assertLeft(METHOD, "charged", 3, 2);
        }
        reset(METHOD, "charged");
    }

    @Test
    void a_status_that_was_sent_counts_although_the_handler_fails_then() throws Exception {
        assertThat(status("/annotated/sent/401")).isEqualTo(401);
        assertLeft(METHOD, "charged", 3, 2);
        assertThat(status("/annotated/sent/200")).isEqualTo(200);
        assertLeft(METHOD, "charged", 3, 2);
        reset(METHOD, "charged");
    }

    /** The first dispatch succeeds and its permit is returned, so the second one takes its own. */
    @Test
    void a_dispatch_is_charged_for_its_failure_after_one_that_succeeded() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(status("/twice/sender")).isEqualTo(404);
            assertLeft(METHOD, "failed", 3, 2 - i);
        }
        assertThat(status("/twice/sender")).isEqualTo(429);
    }

    @Override
    protected WebApplicationType type() {
        return WebApplicationType.SERVLET;
    }

    @Override
    protected Class<?> application() {
        return Application.class;
    }
}
