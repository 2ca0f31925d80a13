package io.limiter.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.testing.TestRedis;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
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
    void twoInstancesShareOneLimit() throws Exception {
        try (ConfigurableApplicationContext one = start();
                ConfigurableApplicationContext two = start()) {
            long startNanos = System.nanoTime();
            assertThat(get(one).statusCode()).isEqualTo(200);
            HttpResponse<String> refused = get(two);
            long elapsedSeconds =
                    Duration.ofNanos(System.nanoTime() - startNanos).toSeconds();
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValueAsLong("Retry-After").orElseThrow())
                    .as("rounded up, after %s whole seconds", elapsedSeconds)
                    .isBetween(60 - elapsedSeconds, 60L);
            assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(refused.body()).contains("\"status\":429").contains("\"instance\":\"/rate\"");
        }
    }

    private static ConfigurableApplicationContext start() {
        return SpringApplication.run(
                Application.class,
                "--server.port=0",
                "--spring.data.redis.url=" + TestRedis.shared().uri(),
                "--spring.main.banner-mode=off");
    }

    private HttpResponse<String> get(ConfigurableApplicationContext context) throws Exception {
        URI uri = URI.create(
                "http://localhost:" + context.getEnvironment().getProperty("local.server.port") + "/rate?run=" + run);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }
}
