package io.limiter.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Eventually;
import io.limiter.testing.TestRedis;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** Whole applications with Actuator, and the requests of operators. */
final class Operated {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private Operated() {}

    static ConfigurableApplicationContext start(Class<?> application, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(
                "--server.port=0",
                "--spring.data.redis.host=" + TestRedis.shared().host(),
                "--management.endpoints.web.exposure.include=limiters,livelimits,health,prometheus",
                "--management.endpoint.health.show-details=always"));
        return new SpringApplication(application).run(all.toArray(String[]::new));
    }

    /** Only the definitions of its beans: without a server, and without the beans themselves, it starts faster. */
    static ConfigurableApplicationContext defined(SpringApplication application, String... arguments) {
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setLazyInitialization(true);
        return application.run(arguments);
    }

    /** The first decision connects, for which a slow machine takes longer than a decision may. */
    static ConfigurableApplicationContext connected(Class<?> application, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--limiter.failure.decision-timeout=2m");
        all.add("--spring.data.redis.port=" + TestRedis.shared().port());
        ConfigurableApplicationContext started = start(application, all.toArray(String[]::new));
        Limiter warm = started.getBean(LimiterFactory.class).build("warm", FixedWindow.of(1, Duration.ofHours(1)));
        Eventually.that(() -> assertThat(warm.on("warm").peek().source()).isEqualTo(Decision.Source.BACKEND));
        return started;
    }

    /** With a body in JSON. */
    static HttpResponse<String> post(ConfigurableApplicationContext context, String path, String body)
            throws Exception {
        return HTTP.send(
                request(context, path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    static HttpResponse<String> get(ConfigurableApplicationContext context, String path) throws Exception {
        return send(context, path, "GET");
    }

    static HttpResponse<String> delete(ConfigurableApplicationContext context, String path) throws Exception {
        return send(context, path, "DELETE");
    }

    private static HttpResponse<String> send(ConfigurableApplicationContext context, String path, String method)
            throws IOException, InterruptedException {
        return HTTP.send(
                request(context, path)
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(ConfigurableApplicationContext context, String path) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/" + path));
    }
}
