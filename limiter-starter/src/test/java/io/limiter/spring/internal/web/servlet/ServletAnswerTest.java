package io.limiter.spring.internal.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.internal.web.AnswerContract;
import io.limiter.spring.internal.web.Reply;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Spring MVC on Tomcat. */
class ServletAnswerTest extends AnswerContract {

    static class Service {

        @CountLimit(limit = 1, name = "hour", limitType = LimitType.CUSTOM, key = "#{run}", per = "1h")
        public void hour(String run) {}

        @CountLimit(
                name = "minutes",
                limitType = LimitType.CUSTOM,
                key = "#{run}",
                limit = 2,
                per = "10m",
                cost = "#{2}")
        public void minutes(String run) {}

        @CountLimit(
                name = "huge",
                limitType = LimitType.CUSTOM,
                key = "#{run}",
                limit = 7,
                per = "10m",
                cost = "#{run.length()}")
        public void huge(String run) {}

        @CountLimit(name = "spent", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, per = "1h")
        @ConcurrentLimit(limit = 1, name = "busy", limitType = LimitType.CUSTOM, key = "#{run}", cost = "#{2}")
        public void refunded(String run) {}

        @CountLimit(limit = 1, name = "keyed", limitType = LimitType.CUSTOM, key = "#{phone}", per = "1h")
        public void keyed(String phone) {}
    }

    @RestController
    static class Limited {

        private final Service service;

        Limited(Service service) {
            this.service = service;
        }

        @GetMapping("/caught")
        public String caught(@RequestParam("run") String run) {
            boolean first = true;
            try {
                service.hour(run);
            } catch (RateLimitExceededException e) {
                first = false;
            }
            service.minutes(run);
            return first ? "done" : "done without";
        }

        @GetMapping("/never")
        public String never(@RequestParam("run") String run) {
            service.huge(run);
            return "done";
        }

        @GetMapping("/refunded")
        public String refunded(@RequestParam("run") String run) {
            service.refunded(run);
            return "done";
        }

        @GetMapping("/keyed")
        public String keyed(@RequestParam(name = "phone", required = false) String phone) {
            service.keyed(phone);
            return "done";
        }

        @GetMapping("/writer")
        public void writer(PrintWriter writer, @RequestParam("run") String run) {
            service.huge(run);
            writer.write("done");
        }

        @GetMapping("/shared/x")
        public String shared() {
            return "done";
        }

        @GetMapping({"/tried/header", "/tried/queue", "/tried/several", "/committed"})
        public String open() {
            return "done";
        }
    }

    /** No servlet of Spring's, and one that writes characters. */
    static class Plain extends HttpServlet {

        private static final long serialVersionUID = 1L;

        private final transient Service service;

        Plain(Service service) {
            this.service = service;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            PrintWriter writer = response.getWriter();
            service.keyed(request.getParameter("phone"));
            service.huge(request.getParameter("run"));
            writer.write("done");
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
        ServletRegistrationBean<Plain> plain(Service service) {
            return new ServletRegistrationBean<>(new Plain(service), "/plain");
        }

        @Bean
        FilterRegistrationBean<Filter> committing() {
            Filter committing = (request, response, chain) -> {
                if (((HttpServletRequest) request).getHeader(COMMIT) != null) {
                    response.getOutputStream().print("begun");
                    response.flushBuffer();
                }
                chain.doFilter(request, response);
            };
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(committing);
            registration.setOrder(-300);
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
    void a_call_without_its_key_that_leaves_a_plain_servlet_is_a_bad_request() throws Exception {
        Reply bad = get("/plain");
        assertThat(bad.statusCode()).isEqualTo(400);
        assertThat(detail(bad)).isEqualTo("Missing rate-limit key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/plain", "/writer"})
    void a_handler_that_has_begun_to_write_characters_leaves_the_answer_whole(String path) throws Exception {
        Reply rejected = get(path + "?phone=1", "Accept-Language", "zh");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.header("Content-Type").orElse("")).startsWith("application/problem+json");
        assertThat(detail(rejected)).isEqualTo("该请求永远不会被放行，重试无效");
        assertThat(rejected.header("Content-Length"))
                .hasValue(String.valueOf(rejected.body().getBytes(StandardCharsets.UTF_8).length));
    }

    private static String detail(Reply reply) throws IOException {
        return new ObjectMapper().readTree(reply.body()).get("detail").asText();
    }
}
