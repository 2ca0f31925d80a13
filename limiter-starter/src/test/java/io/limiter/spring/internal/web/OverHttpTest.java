package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.testing.TestRedis;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A whole application, with its own server and a real Redis. */
class OverHttpTest {

    @RestController
    static class Limited {

        private final CountDownLatch running = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);

        @GetMapping("/held")
        @ConcurrentLimit(limit = 1, lease = 60, limitType = LimitType.CUSTOM, key = "#{run}")
        public String held(@RequestParam("run") String run) throws InterruptedException {
            running.countDown();
            return end.await(2, TimeUnit.MINUTES) ? "done" : "timed out";
        }

        @GetMapping("/rate")
        @RateLimit(rate = 1.0 / 60, burst = 60, limitType = LimitType.CUSTOM, key = "#{run}")
        public String rate(@RequestParam("run") String run) {
            return "done";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Limited limited() {
            return new Limited();
        }
    }

    /** A Redis that outlives this JVM may know the limit from the last run. */
    private final String run = UUID.randomUUID().toString();

    @Test
    void two_instances_share_a_limit() throws Exception {
        try (ConfigurableApplicationContext one = start();
                ConfigurableApplicationContext two = start()) {
            long startNanos = System.nanoTime();
            assertThat(get(one, "/rate").statusCode()).isEqualTo(200);
            HttpResponse<String> rejected = get(two, "/rate");
            long elapsedSeconds =
                    Duration.ofNanos(System.nanoTime() - startNanos).toSeconds();
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(rejected.headers().firstValueAsLong("Retry-After").orElseThrow())
                    .as("rounded up, after %s whole seconds", elapsedSeconds)
                    .isBetween(60 - elapsedSeconds, 60L);
            assertThat(rejected.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(rejected.body()).contains("\"status\":429").contains("\"instance\":\"/rate\"");
        }
    }

    @Test
    void two_instances_share_a_lease() throws Exception {
        try (ConfigurableApplicationContext one = start();
                ConfigurableApplicationContext two = start()) {
            Limited limited = one.getBean(Limited.class);
            CompletableFuture<HttpResponse<String>> first =
                    HttpClient.newHttpClient().sendAsync(request(one, "/held"), HttpResponse.BodyHandlers.ofString());
            try {
                assertThat(target(limited).running.await(1, TimeUnit.MINUTES)).isTrue();
                HttpResponse<String> rejected = get(two, "/held");
                assertThat(rejected.statusCode()).isEqualTo(429);
                assertThat(rejected.headers().firstValueAsLong("Retry-After").orElseThrow())
                        .as("until the lease expires")
                        .isBetween(1L, 60L);
                assertThat(rejected.headers().firstValue("Content-Type")).hasValue("application/problem+json");
                assertThat(rejected.body()).contains("\"status\":429").contains("\"instance\":\"/held\"");
            } finally {
                target(limited).end.countDown();
            }
            assertThat(first.get(1, TimeUnit.MINUTES).body()).isEqualTo("done");
            target(two.getBean(Limited.class)).end.countDown();
            assertThat(get(two, "/held").body()).as("the lease was released").isEqualTo("done");
        }
    }

    /** The bean itself and not its proxy, which has fields of its own. */
    private static Limited target(Limited proxy) throws Exception {
        return (Limited)
                Objects.requireNonNull(((Advised) proxy).getTargetSource().getTarget());
    }

    private static ConfigurableApplicationContext start() {
        return SpringApplication.run(
                Application.class,
                "--server.port=0",
                "--spring.data.redis.url=" + TestRedis.shared().uri(),
                "--limiter.on-failure=throw",
                "--limiter.failure.decision-timeout=2m",
                "--spring.main.banner-mode=off");
    }

    private HttpResponse<String> get(ConfigurableApplicationContext context, String path) throws Exception {
        return HttpClient.newHttpClient().send(request(context, path), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest request(ConfigurableApplicationContext context, String path) {
        String port = context.getEnvironment().getProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path + "?run=" + run))
                .build();
    }
}
