package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.limiter.testing.TestRedis;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** Routes with RequestRateLimiter filters of a real gateway, before a real server, by the limiter and by the gateway's own. */
class GatewayRateLimiterTest {

    private static final String ROUTES = "spring.cloud.gateway.server.webflux.routes[%d].";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static final AtomicInteger SERVED = new AtomicInteger();
    private static HttpServer upstream;
    private static ConfigurableApplicationContext ours;
    private static ConfigurableApplicationContext own;
    private static ConfigurableApplicationContext alone;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Gateway {

        @Bean
        KeyResolver callers() {
            return exchange ->
                    Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Caller"));
        }
    }

    @BeforeAll
    static void start() throws Exception {
        upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        upstream.createContext("/", exchange -> {
            SERVED.incrementAndGet();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        upstream.start();
        TestRedis redis = TestRedis.shared();
        ours = gateway(redis.host(), redis.port(), "--limiter.gateway.replace-redis-rate-limiter=true");
        own = gateway(redis.host(), redis.port());
        alone = gateway("localhost", TestRedis.closedPort(), "--limiter.gateway.replace-redis-rate-limiter=true");
    }

    /** Together, because closing one ends the threads of Netty that they share. */
    @AfterAll
    static void stop() {
        alone.close();
        ours.close();
        own.close();
        upstream.stop(0);
    }

    private static ConfigurableApplicationContext gateway(String host, int port, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("--server.port=0", "--spring.data.redis.host=" + host, "--spring.data.redis.port=" + port));
        route(arguments, 0, "slow", 1, 5, 1);
        route(arguments, 1, "small", 10, 4, 1);
        route(arguments, 2, "costly", 1, 5, 5);
        arguments.addAll(List.of(more));
        return new SpringApplicationBuilder(Gateway.class)
                .web(WebApplicationType.REACTIVE)
                .run(arguments.toArray(String[]::new));
    }

    private static void route(List<String> arguments, int i, String id, int rate, int capacity, int tokens) {
        String route = "--" + ROUTES.formatted(i);
        String args = route + "filters[0].args.redis-rate-limiter.";
        arguments.addAll(List.of(
                route + "id=" + id,
                route + "uri=http://localhost:" + upstream.getAddress().getPort(),
                route + "predicates[0]=Path=/" + id,
                route + "filters[0].name=RequestRateLimiter",
                args + "replenishRate=" + rate,
                args + "burstCapacity=" + capacity,
                args + "requestedTokens=" + tokens));
    }

    private static CompletableFuture<HttpResponse<String>> send(
            ConfigurableApplicationContext gateway, String path, String caller) {
        String port = gateway.getEnvironment().getProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
        if (caller != null) {
            request.header("X-Caller", caller);
        }
        return CLIENT.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Statuses of requests at once. */
    private static List<Integer> load(ConfigurableApplicationContext gateway, String path, int requests) {
        String caller = UUID.randomUUID().toString();
        List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            sent.add(send(gateway, path, caller));
        }
        return sent.stream().map(each -> each.join().statusCode()).toList();
    }

    private static int granted(List<Integer> statuses) {
        assertThat(statuses).isSubsetOf(204, 429);
        return (int) statuses.stream().filter(status -> status == 204).count();
    }

    @Test
    void takesThePlaceOfTheGatewaysOwnWithoutAnExclusion() {
        assertThat(ours.getBeansOfType(RateLimiter.class).values())
                .singleElement()
                .isInstanceOf(GatewayRateLimiter.class);
        assertThat(own.getBean(RateLimiter.class).getClass()).isEqualTo(RedisRateLimiter.class);
    }

    @Test
    void grantsTheCapacityAndTheRateUnderLoad() {
        int before = SERVED.get();
        long start = System.nanoTime();
        int granted = granted(load(ours, "/slow", 60));
        double seconds = (System.nanoTime() - start) / 1e9;
        assertThat(granted).isBetween(5, (int) (5 + seconds));
        assertThat(SERVED.get() - before).isEqualTo(granted);
    }

    @Test
    void limitsWhereTheCapacityIsLessThanHalfASecondsWorth() {
        long start = System.nanoTime();
        int granted = granted(load(ours, "/small", 60));
        double seconds = (System.nanoTime() - start) / 1e9;
        assertThat(granted).isBetween(4, (int) (4 + seconds * 10));
        // The state that it should keep expires at once.
        int unlimited = granted(load(own, "/small", 60));
        assertThat(unlimited).isEqualTo(60);
    }

    @Test
    void hasTheHeadersOfTheGatewaysOwnAndRetryAfter() {
        String caller = UUID.randomUUID().toString();
        HttpResponse<String> granted = send(ours, "/costly", caller).join();
        HttpResponse<String> ofOwn = send(own, "/costly", caller).join();
        for (String header : List.of(
                "X-RateLimit-Remaining",
                "X-RateLimit-Replenish-Rate",
                "X-RateLimit-Burst-Capacity",
                "X-RateLimit-Requested-Tokens")) {
            assertThat(granted.headers().firstValue(header))
                    .as(header)
                    .isPresent()
                    .isEqualTo(ofOwn.headers().firstValue(header));
        }
        HttpResponse<String> rejected = send(ours, "/costly", caller).join();
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValue("Retry-After").map(Integer::parseInt))
                .hasValueSatisfying(seconds -> assertThat(seconds).isBetween(1, 5));
    }

    @Test
    void deniesRequestsWithoutAKey() {
        assertThat(send(ours, "/slow", null).join().statusCode()).isEqualTo(403);
    }

    @Test
    void keepsLimitingWhileRedisIsUnavailable() {
        long start = System.nanoTime();
        int granted = granted(load(alone, "/slow", 30));
        assertThat(granted).isBetween(5, (int) (5 + (System.nanoTime() - start) / 1e9));
    }

    @Test
    void refusesWhatNoRequestIsEverGranted() {
        GatewayRateLimiter limiter = ours.getBean(GatewayRateLimiter.class);
        limiter.getConfig()
                .put("never", new RedisRateLimiter.Config().setReplenishRate(1).setRequestedTokens(2));
        assertThatThrownBy(() -> limiter.isAllowed("never", "ann"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "The route never: redis-rate-limiter.requestedTokens must be between 1 and the burstCapacity"
                                + " 1, was 2: no request would ever be granted");
    }
}
