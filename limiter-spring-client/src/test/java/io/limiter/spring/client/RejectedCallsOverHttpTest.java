package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** What callers of a controller get when its own call of a third party is rejected. */
class RejectedCallsOverHttpTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private volatile int status = 200;
    private HttpServer thirdParty;

    @BeforeEach
    void open() throws IOException {
        thirdParty = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        thirdParty.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "30");
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        thirdParty.start();
    }

    @AfterEach
    void close() {
        thirdParty.stop(0);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @RestController
    static class Blocking {

        private final RestClient client;

        Blocking(RestClient.Builder client) {
            this.client = client.build();
        }

        @GetMapping("/call")
        int call(@RequestParam("uri") URI uri) {
            return client.get()
                    .uri(uri)
                    .exchange((request, response) -> response.getStatusCode().value());
        }
    }

    @RestController
    static class Reactive {

        private final WebClient client;

        Reactive(WebClient.Builder client) {
            this.client = client.build();
        }

        @GetMapping("/call")
        Mono<Integer> call(@RequestParam("uri") URI uri) {
            return client.get()
                    .uri(uri)
                    .exchangeToMono(response -> response.releaseBody()
                            .thenReturn(response.statusCode().value()));
        }
    }

    /** Two clients of the server, by its two names: one with a quota of one call. */
    private ConfigurableApplicationContext application(WebApplicationType type) {
        Class<?> controller = type == WebApplicationType.SERVLET ? Blocking.class : Reactive.class;
        int port = thirdParty.getAddress().getPort();
        return new SpringApplicationBuilder(Application.class, controller)
                .web(type)
                .run(
                        "--server.port=0",
                        "--limiter.type=local",
                        "--limiter.clients.small.hosts=127.0.0.1:" + port,
                        "--limiter.clients.small.timeout=0",
                        "--limiter.clients.small.limits.day.limit=1",
                        "--limiter.clients.small.limits.day.per=1d",
                        "--limiter.clients.large.hosts=localhost:" + port,
                        "--limiter.clients.large.limits.second.rate=1000");
    }

    private HttpResponse<String> send(ConfigurableApplicationContext application, String host) throws Exception {
        String port = application.getEnvironment().getProperty("local.server.port");
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/call?uri=http://" + host + ":"
                                + thirdParty.getAddress().getPort() + "/"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static void assertIsNotTheCallersFault(HttpResponse<String> response, int least, int most) {
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After").map(Integer::parseInt))
                .hasValueSatisfying(seconds -> assertThat(seconds).isBetween(least, most));
        assertThat(response.headers().map().keySet())
                .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("ratelimit"));
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void a_used_up_quota_and_a_pause_answer_503(WebApplicationType type) throws Exception {
        try (ConfigurableApplicationContext application = application(type)) {
            assertThat(send(application, "127.0.0.1").body()).isEqualTo("200");
            assertIsNotTheCallersFault(send(application, "127.0.0.1"), 60, 86_400);
            status = 429;
            assertThat(send(application, "localhost").body()).isEqualTo("429");
            assertIsNotTheCallersFault(send(application, "localhost"), 25, 35);
        }
    }
}
