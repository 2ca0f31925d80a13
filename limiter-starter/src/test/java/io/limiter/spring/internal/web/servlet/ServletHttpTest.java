package io.limiter.spring.internal.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.RateLimitExceededException;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.web.HttpContract;
import io.limiter.spring.internal.web.Reply;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;

/** Spring MVC on Tomcat. */
class ServletHttpTest extends HttpContract {

    static class Service {

        @CountLimit(name = "first", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, per = "1h")
        public void first(String run) {}

        @CountLimit(name = "second", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, per = "1h")
        public void second(String run) {}

        @CountLimit(name = "late", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, per = "1h")
        public CompletableFuture<String> late(String run) {
            return CompletableFuture.completedFuture("done");
        }
    }

    @RestController
    static class Limited {

        private final Service service;

        Limited(Service service) {
            this.service = service;
        }

        @GetMapping("/one")
        @RateLimit(name = "one", rate = 1.0 / 60, burst = 60, limitType = LimitType.CUSTOM, key = "#{run}")
        public String one(@RequestParam("run") String run) {
            return "done";
        }

        @GetMapping("/both")
        @RateLimit(name = "perMinute", rate = 1.0 / 60, burst = 120, limitType = LimitType.CUSTOM, key = "#{run}")
        @CountLimit(name = "perDay", limit = 3, per = "1d", limitType = LimitType.CUSTOM, key = "#{run}")
        public String both(@RequestParam("run") String run) {
            return "done";
        }

        @GetMapping("/message")
        @CountLimit(
                limit = 1,
                name = "message",
                per = "1h",
                limitType = LimitType.CUSTOM,
                key = "#{run}",
                message = "one \"code\" a minute")
        public String message(@RequestParam("run") String run) {
            return "done";
        }

        @GetMapping("/services")
        public String services(@RequestParam("run") String run) {
            service.first(run);
            service.second(run);
            service.first(run);
            return "done";
        }

        @GetMapping("/unnamed")
        @CountLimit(limit = 5, per = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        public String unnamed(@RequestParam("run") String run) {
            return "done";
        }

        @GetMapping("/dry")
        @CountLimit(limit = 1, name = "dry", per = "1h")
        public String dry() {
            return "done";
        }

        @GetMapping("/skipped")
        @CountLimit(limit = 1, name = "skipped", per = "1h", condition = "#{run.isEmpty()}")
        public String skipped(@RequestParam("run") String run) {
            return "done";
        }

        @GetMapping("/source")
        @CountLimit(limit = 1, name = "source", per = "1h", key = "header:X-Api-Key")
        public String source() {
            return "done";
        }

        @GetMapping("/facts")
        @CountLimit(
                limit = 4,
                name = "facts",
                per = "1h",
                key = {"#{header('X-Tenant') ?: ip()}", "#{run}:#{method()}:#{path()}"},
                cost = "#{number(param('n')) * 2}",
                condition = "#{cookie('free') == null}")
        public String facts(@RequestParam("run") String run) {
            return "done";
        }

        @GetMapping("/used")
        @CountLimit(
                limit = 10,
                name = "used",
                per = "1h",
                key = "#{run}",
                cost = "#{5}",
                chargeOn = "#{header('X-Free') == null}",
                settle = "#{number(header('X-Used')) + result.length()}")
        public CompletableFuture<String> used(@RequestParam("run") String run) {
            return CompletableFuture.supplyAsync(() -> "done");
        }

        @GetMapping("/user")
        @CountLimit(limit = 1, name = "user", per = "1h", limitType = LimitType.USER)
        public String user() {
            return "done";
        }

        @GetMapping("/ip")
        @CountLimit(limit = 1, name = "ip", per = "1h", limitType = LimitType.IP)
        public String ip() {
            return "done";
        }

        @GetMapping("/backend")
        public String backend() {
            throw BackendFailures.notExecuted("secret-key", "Redis is gone");
        }

        @GetMapping("/future")
        @CountLimit(limit = 1, name = "future", per = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        public CompletableFuture<String> future(@RequestParam("run") String run) {
            return CompletableFuture.completedFuture("done");
        }

        @GetMapping("/future/facts")
        @CountLimit(
                limit = 4,
                name = "futureFacts",
                per = "1h",
                key = {"#{header('X-Tenant')}", "#{user() ?: ip()}", "#{run}"},
                cost = "#{number(param('n'))}")
        public CompletableFuture<String> futureFacts(@RequestParam("run") String run) {
            return CompletableFuture.completedFuture("done");
        }

        @GetMapping({"/api/one", "/api/health/live", "/tried", "/several"})
        public String open() {
            return "done";
        }

        @PostMapping("/api/one")
        public String post() {
            return "done";
        }

        @GetMapping("/api/fails")
        public String fails() {
            throw new IllegalStateException("failed on purpose");
        }

        @GetMapping("/api/slow")
        public Callable<String> slow() {
            return () -> "done";
        }

        @GetMapping("/forwarding")
        @CountLimit(name = "forwarded", limit = 5, per = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        public ModelAndView forwarding(@RequestParam("run") String run) {
            return new ModelAndView("forward:/forwarded");
        }

        @GetMapping("/forwarded")
        @CountLimit(name = "forwarded", limit = 5, per = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        public String forwarded(@RequestParam("run") String run) {
            return "done";
        }

        @GetMapping("/late")
        public CompletableFuture<String> late(@RequestParam("run") String run) {
            // Its decision comes by another thread, while the request waits.
            return service.late(run);
        }
    }

    @RestController
    static class OwnHandler {

        @GetMapping("/own")
        @CountLimit(limit = 1, name = "own", per = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        public String own(@RequestParam("run") String run) {
            return "done";
        }

        @ExceptionHandler
        public ResponseEntity<String> handle(RateLimitExceededException e) {
            return ResponseEntity.status(509).body("own handler");
        }
    }

    /** Under a limit of the whole type. */
    @RestController
    @CountLimit(limit = 1, name = "whole", per = "1h", limitType = LimitType.IP)
    static class Whole {

        @GetMapping("/whole")
        public String whole(@RequestParam("run") String run) {
            return "done";
        }

        @ModelAttribute("model")
        public String model() {
            return "model";
        }

        @InitBinder
        public void bind(WebDataBinder binder) {
            binder.setDisallowedFields("id");
        }

        @ExceptionHandler
        public ResponseEntity<String> handle(RateLimitExceededException e) {
            return ResponseEntity.status(509).body("own handler");
        }
    }

    /** No servlet of Spring's. */
    static class Plain extends HttpServlet {

        private static final long serialVersionUID = 1L;

        private final transient Service service;

        Plain(Service service) {
            this.service = service;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws java.io.IOException {
            for (int i = 0; i < 6; i++) {
                service.first(request.getParameter("run"));
            }
            response.getWriter().write("done");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
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
        Whole whole() {
            return new Whole();
        }

        @Bean
        OwnHandler ownHandler() {
            return new OwnHandler();
        }

        @Bean
        ServletRegistrationBean<Plain> plain(Service service) {
            return new ServletRegistrationBean<>(new Plain(service), "/plain/*");
        }

        /** Where Spring Security's would be. */
        @Bean
        FilterRegistrationBean<Filter> login() {
            Filter login = (request, response, chain) -> {
                String user = ((HttpServletRequest) request).getHeader("X-User");
                if (user != null) {
                    SecurityContextHolder.getContext()
                            .setAuthentication(
                                    UsernamePasswordAuthenticationToken.authenticated(user, null, List.of()));
                }
                try {
                    chain.doFilter(request, response);
                } finally {
                    SecurityContextHolder.clearContext();
                }
            };
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(login);
            registration.setOrder(-100);
            return registration;
        }
    }

    @Override
    protected WebApplicationType type() {
        return WebApplicationType.SERVLET;
    }

    @Override
    protected Class<?> application() {
        return Application.class;
    }

    @Test
    void a_forwarded_request_is_charged_once_by_the_same_limit() throws Exception {
        Reply granted = get("/forwarding");
        assertThat(granted.body()).isEqualTo("done");
        assertThat(header(granted, "RateLimit")).matches("\"forwarded\";r=4;t=\\d+");
    }

    @Test
    void a_rejection_that_leaves_a_plain_servlet_is_answered() throws Exception {
        Reply rejected = get("/plain/x");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(problem(rejected).get("violated-policies")).hasToString("[\"first\"]");
    }

    @Test
    void a_decision_of_another_thread_is_in_the_headers_of_an_async_result() throws Exception {
        Reply granted = get("/late");
        assertThat(granted.statusCode()).isEqualTo(200);
        assertThat(header(granted, "RateLimit")).matches("\"late\";r=4;t=\\d+");
    }

    @Test
    void a_path_that_only_the_server_understands_is_limited_too() throws Exception {
        String[] caller = {"X-Api-Key", "path-" + System.nanoTime()};
        assertThat(header(get("/api/health/%2e%2e/one", caller), "RateLimit"))
                .as("excluded as it is written, but not as it is understood")
                .startsWith("\"api\";r=1");
    }
}
