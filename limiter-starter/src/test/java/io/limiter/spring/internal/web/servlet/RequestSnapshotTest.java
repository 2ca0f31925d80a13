package io.limiter.spring.internal.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Lease;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.web.RuleLimits;
import jakarta.annotation.PreDestroy;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.annotation.RequestScope;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** What a limited method knows of its request when it is called after the first dispatch of that, or after the request. */
class RequestSnapshotTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private static ConfigurableApplicationContext context;

    @BeforeAll
    static void start() {
        SpringApplication application = new SpringApplication(Application.class);
        application.setRegisterShutdownHook(false);
        context = application.run(
                "--server.port=0",
                "--limiter.type=local",
                "--spring.main.banner-mode=off",
                "--limiter.http.inner.path=/inner",
                "--limiter.http.inner.exempt-addresses=127.0.0.1",
                "--limiter.http.inner.limits.one.rate=1");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    /** A bean of the application that the caller of the limited method has used. */
    @RequestScope
    static class Caller {

        private String name = "nobody";

        public String name() {
            return name;
        }

        public void setName(String newName) {
            name = newName;
        }
    }

    /** One that the limited method uses first. */
    @RequestScope
    static class Late {

        private final Log log;

        Late(Log log) {
            this.log = log;
        }

        public String use() {
            return "used";
        }

        @PreDestroy
        void destroy() {
            log.lines.add("destroyed");
        }
    }

    static class Log {

        private final CopyOnWriteArrayList<String> lines = new CopyOnWriteArrayList<>();
    }

    static class ByAddress {

        @CountLimit(name = "snapshot-by-address", limit = 100, per = "1h", limitType = LimitType.IP)
        public String call() {
            return "by address";
        }
    }

    static class Service {

        private final Caller caller;
        private final Late late;
        private final ByAddress nested;
        private final Log log;
        private final RuleLimits limits;

        Service(Caller caller, Late late, ByAddress nested, Log log, RuleLimits limits) {
            this.limits = limits;
            this.caller = caller;
            this.late = late;
            this.nested = nested;
            this.log = log;
        }

        @ConcurrentLimit(name = "snapshot", limit = 1, timeout = 60)
        public CompletableFuture<String> call() {
            HttpServletRequest request =
                    ((ServletRequestAttributes) RequestContextHolder.currentRequestAttributes()).getRequest();
            String known = String.join(
                    ", ",
                    caller.name(),
                    late.use(),
                    nested.call(),
                    request.getMethod() + " " + request.getRequestURI() + "?" + request.getQueryString(),
                    Objects.requireNonNullElse(request.getHeader("x-name"), "-"),
                    request.getRemoteAddr(),
                    limits.peek("inner").toString());
            log.lines.add(known);
            return CompletableFuture.completedFuture(known);
        }
    }

    @RestController
    static class Controller {

        private final Service service;
        private final Caller caller;

        Controller(Service service, Caller caller) {
            this.service = service;
            this.caller = caller;
        }

        @GetMapping("/waits")
        public CompletableFuture<String> waits(@RequestParam("name") String name) {
            caller.setName(name);
            return service.call();
        }

        @GetMapping("/forgets")
        public String forgets(@RequestParam("name") String name) {
            caller.setName(name);
            service.call();
            return "forgotten";
        }

        @GetMapping("/other")
        public String other(@RequestParam("name") String name) {
            caller.setName(name);
            return "other";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Controller.class, Service.class, ByAddress.class, Caller.class, Late.class, Log.class})
    static class Application {

        private final CountDownLatch dispatched = new CountDownLatch(1);

        @Bean
        CountDownLatch dispatched() {
            return dispatched;
        }

        /** Around all that ends with the first dispatch. */
        @Bean
        FilterRegistrationBean<Filter> first() {
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
                chain.doFilter(request, response);
                dispatched.countDown();
            });
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return registration;
        }
    }

    @Test
    void a_method_that_waits_has_its_request_after_the_first_dispatch() throws Exception {
        Lease held = lease();
        CompletableFuture<HttpResponse<String>> response =
                HttpClient.newHttpClient().sendAsync(request("/waits", "ann"), HttpResponse.BodyHandlers.ofString());
        assertThat(context.getBean("dispatched", CountDownLatch.class).await(1, TimeUnit.MINUTES))
                .isTrue();
        held.close();
        assertThat(response.get(1, TimeUnit.MINUTES).body()).isEqualTo(known("/waits", "ann"));
        assertDestroyed();
    }

    /** The server has used the objects of the request for another one by then. */
    @Test
    void a_method_has_its_own_request_after_that_and_not_the_next_one() throws Exception {
        Lease held = lease();
        HttpClient client = HttpClient.newHttpClient();
        HttpResponse<String> forgotten = client.send(request("/forgets", "bob"), HttpResponse.BodyHandlers.ofString());
        assertThat(forgotten.body()).isEqualTo("forgotten");
        assertThat(client.send(request("/other", "eve"), HttpResponse.BodyHandlers.ofString())
                        .body())
                .isEqualTo("other");
        Log log = context.getBean(Log.class);
        log.lines.clear();
        held.close();
        Awaitility.await().atMost(LONG).until(() -> log.lines.contains("destroyed"));
        assertThat(log.lines).containsExactly(known("/forgets", "bob"), "destroyed");
    }

    private static void assertDestroyed() {
        Log log = context.getBean(Log.class);
        Awaitility.await().atMost(LONG).until(() -> log.lines.contains("destroyed"));
    }

    private static String known(String path, String name) {
        return name + ", used, by address, GET " + path + "?name=" + name + ", " + name + ", 127.0.0.1, []";
    }

    private static Lease lease() {
        return context.getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withPrefix("concurrentLimit:"))
                .build("snapshot", ConcurrencyLimit.of(1))
                .acquire(LONG);
    }

    private static HttpRequest request(String path, String name) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path + "?name=" + name))
                .header("X-Name", name)
                .timeout(LONG)
                .build();
    }
}
