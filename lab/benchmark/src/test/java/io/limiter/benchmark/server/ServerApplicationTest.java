package io.limiter.benchmark.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.benchmark.measure.RedisServer;
import io.limiter.benchmark.server.ServerApplication.Limiting;
import io.limiter.benchmark.server.ServerApplication.Server;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.web.context.WebServerApplicationContext;
import org.springframework.boot.web.embedded.netty.NettyWebServer;
import org.springframework.boot.web.embedded.tomcat.TomcatWebServer;
import org.springframework.context.ConfigurableApplicationContext;

class ServerApplicationTest {

    private static final Set<Limiting> STARTED =
            EnumSet.of(Limiting.NONE, Limiting.BUCKET4J, Limiting.PREFETCH, Limiting.KEYS_PREFETCH, Limiting.RULE);

    private static RedisServer redis;

    @BeforeAll
    static void startRedis() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @ParameterizedTest
    @MethodSource("started")
    void a_request_is_limited_as_it_says(Server server, Limiting limiting) throws Exception {
        try (ConfigurableApplicationContext application = ServerApplication.start(server, limiting, redis.port())) {
            assertThat(((WebServerApplicationContext) application).getWebServer())
                    .isInstanceOf(server == Server.NETTY ? NettyWebServer.class : TomcatWebServer.class);
            HttpResponse<String> response = get(ServerApplication.port(application));
            assertThat(response.body()).isEqualTo("hello");
            assertThat(response.headers().firstValue("RateLimit").isPresent())
                    .isEqualTo(!Set.of(Limiting.NONE, Limiting.BUCKET4J).contains(limiting));
            if (Set.of(Limiting.PREFETCH, Limiting.KEYS_PREFETCH).contains(limiting)) {
                assertThat(application
                                .getBean(LimiterFactory.class)
                                .statistics()
                                .totals())
                        .singleElement()
                        .matches(hello -> hello.prefetch().isPresent());
            }
        }
    }

    static Stream<Arguments> started() {
        return Arrays.stream(Server.values())
                .filter(Server::isPossible)
                .flatMap(server -> STARTED.stream().map(limiting -> Arguments.of(server, limiting)));
    }

    @ParameterizedTest
    @EnumSource
    void each_of_the_others_is_one_that_was_started_with_fewer_settings(Limiting limiting) {
        assertThat(STARTED)
                .anyMatch(started -> started.properties()
                                .entrySet()
                                .containsAll(limiting.properties().entrySet())
                        && Stream.of(false, true)
                                .allMatch(onNetty -> ServerApplication.controller(started, onNetty)
                                        == ServerApplication.controller(limiting, onNetty)));
    }

    private static HttpResponse<String> get(int port) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port + ServerApplication.PATH + "?k=7"))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }
}
