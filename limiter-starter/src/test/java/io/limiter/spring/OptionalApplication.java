package io.limiter.spring;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** Applications that need no more than their kind does, and what becomes of calls to them. */
public final class OptionalApplication {

    private OptionalApplication() {}

    public static class Service {

        @CountLimit(limit = 1, name = "optional", per = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        @ConcurrentLimit(limit = 1, name = "optional", key = "#{run}")
        public String limited(String run) {
            return "done";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {

        @Bean
        Service service() {
            return new Service();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Plain.class)
    static class OnServlets {

        @Bean
        ServletRegistrationBean<HttpServlet> calls(Service service) {
            HttpServlet calls = new HttpServlet() {
                private static final long serialVersionUID = 1L;

                @Override
                protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                    String run = request.getParameter("run");
                    response.getWriter().write(run == null ? "open" : service.limited(run));
                }
            };
            return new ServletRegistrationBean<>(calls, "/calls/*");
        }
    }

    public static class ReactiveService {

        @CountLimit(limit = 1, name = "optional", per = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        @ConcurrentLimit(limit = 1, name = "optional", key = "#{run}")
        public Mono<String> limited(String run) {
            return Mono.just("done");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Plain.class)
    static class OnWebFlux {

        @Bean
        ReactiveService reactiveService() {
            return new ReactiveService();
        }

        @Bean
        RouterFunction<ServerResponse> calls(ReactiveService service) {
            return RouterFunctions.route()
                    .GET(
                            "/calls/**",
                            request -> request.queryParam("run")
                                    .map(service::limited)
                                    .orElse(Mono.just("open"))
                                    .flatMap(text -> ServerResponse.ok().bodyValue(text)))
                    .build();
        }
    }

    /** Answers what two calls of a limited method became, each. */
    public static String plain(String... settings) {
        try (ConfigurableApplicationContext context = start(Plain.class, WebApplicationType.NONE, settings)) {
            Service service = context.getBean(Service.class);
            String run = context.getEnvironment().getRequiredProperty("run");
            return call(service, run) + " " + call(service, run);
        }
    }

    /** Answers the status of two calls each to rules by address and by user, and to a limited method. */
    public static String servlet(String... settings) throws Exception {
        return http(OnServlets.class, WebApplicationType.SERVLET, settings);
    }

    /** As {@link #servlet}. */
    public static String reactive(String... settings) throws Exception {
        return http(OnWebFlux.class, WebApplicationType.REACTIVE, settings);
    }

    private static String call(Service service, String run) {
        try {
            return service.limited(run);
        } catch (RateLimitExceededException e) {
            return "rejected";
        }
    }

    private static String http(Class<?> application, WebApplicationType type, String... settings) throws Exception {
        try (ConfigurableApplicationContext context = start(application, type, settings)) {
            String run = context.getEnvironment().getRequiredProperty("run");
            StringBuilder statuses = new StringBuilder();
            for (String path : List.of("/calls/address", "/calls/user", "/calls/method?run=" + run)) {
                statuses.append(get(context, path)).append(' ');
                statuses.append(get(context, path)).append(' ');
            }
            return statuses.toString().strip();
        }
    }

    private static int get(ConfigurableApplicationContext context, String path) throws Exception {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofMinutes(1))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static ConfigurableApplicationContext start(
            Class<?> application, WebApplicationType type, String... settings) {
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(type);
        spring.setRegisterShutdownHook(false);
        return spring.run(settings);
    }
}
