package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/** Routes with RequestRateLimiter filters, by the limiter and by the gateway's own. */
class GatewayRateLimiterTest {

    private static final List<String> HEADERS = List.of(
            "X-RateLimit-Remaining",
            "X-RateLimit-Replenish-Rate",
            "X-RateLimit-Burst-Capacity",
            "X-RateLimit-Requested-Tokens");

    private static final String THREAD = "X-Thread";

    private static TestGateway ours;
    private static TestGateway own;
    private static TestGateway alone;

    /** Its responses name the thread that went on with the request behind the limit. */
    static class Application extends TestGateway.Application {

        @Bean
        @Order(2)
        GlobalFilter thread() {
            return (exchange, chain) -> {
                exchange.getResponse()
                        .getHeaders()
                        .set(THREAD, Thread.currentThread().getName());
                return chain.filter(exchange);
            };
        }
    }

    @BeforeAll
    static void start() {
        ours = gateway(TestGateway.REPLACING);
        own = gateway();
        alone = gateway(TestGateway.withoutRedis(), TestGateway.REPLACING);
    }

    /** Together, because closing one ends the threads of Netty that they share. */
    @AfterAll
    static void stop() {
        alone.close();
        ours.close();
        own.close();
    }

    private static TestGateway gateway(String... more) {
        return gateway(List.of(), more);
    }

    private static TestGateway gateway(List<String> redis, String... more) {
        return TestGateway.Server.WEBFLUX.start(
                Application.class,
                TestGateway.limited(0, "slow", "replenishRate=1", "burstCapacity=5"),
                TestGateway.limited(1, "small", "replenishRate=10", "burstCapacity=4"),
                TestGateway.limited(2, "costly", "replenishRate=1", "burstCapacity=5", "requestedTokens=5"),
                TestGateway.limited(3, "blocked", "replenishRate=1", "burstCapacity=0"),
                List.of(
                        "limiter.http.site.path=/blocked",
                        "limiter.http.site.key=header:X-Caller",
                        "limiter.http.site.limits.one.limit=2",
                        "limiter.http.site.limits.one.per=1h"),
                redis,
                List.of(more));
    }

    private static int granted(List<Integer> statuses) {
        assertThat(statuses).isSubsetOf(204, 429);
        return (int) statuses.stream().filter(status -> status == 204).count();
    }

    @Test
    void takes_the_place_of_the_gateways_own_without_an_exclusion() {
        assertThat(ours.context().getBeansOfType(RateLimiter.class).values())
                .singleElement()
                .isInstanceOf(GatewayRateLimiter.class);
        assertThat(own.context().getBean(RateLimiter.class).getClass()).isEqualTo(RedisRateLimiter.class);
    }

    @Test
    void grants_the_capacity_and_the_rate_under_load() {
        int before = TestGateway.served();
        long start = System.nanoTime();
        int granted = granted(ours.load("/slow", 60));
        double seconds = (System.nanoTime() - start) / 1e9;
        assertThat(granted).isBetween(5, (int) (5 + seconds));
        assertThat(TestGateway.served() - before).isEqualTo(granted);
    }

    @Test
    void limits_where_the_capacity_is_less_than_half_a_seconds_worth() {
        long start = System.nanoTime();
        int granted = granted(ours.load("/small", 60));
        double seconds = (System.nanoTime() - start) / 1e9;
        assertThat(granted).isBetween(4, (int) (4 + seconds * 10));
        // The state that it should keep expires immediately.
        int unlimited = granted(own.load("/small", 60));
        assertThat(unlimited).isEqualTo(60);
    }

    @Test
    void blocks_all_with_a_capacity_of_zero() {
        assertThat(ours.send("/blocked", "ann").statusCode()).isEqualTo(429);
    }

    @Test
    void a_request_that_it_rejects_takes_nothing_of_a_rule_before_it() {
        String caller = TestGateway.anyone();
        for (int i = 0; i < 4; i++) {
            HttpResponse<String> rejected = ours.send("/blocked", caller);
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(rejected.body()).as("the rule would send a problem").isEmpty();
        }
    }

    @Test
    void has_the_headers_of_the_gateways_own_and_retry_after() {
        String caller = TestGateway.anyone();
        HttpResponse<String> granted = ours.send("/costly", caller);
        HttpResponse<String> ofOwn = own.send("/costly", caller);
        for (String header : HEADERS) {
            assertThat(granted.headers().firstValue(header))
                    .as(header)
                    .isPresent()
                    .isEqualTo(ofOwn.headers().firstValue(header));
        }
        HttpResponse<String> rejected = ours.send("/costly", caller);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValue("Retry-After").map(Integer::parseInt))
                .hasValueSatisfying(seconds -> assertThat(seconds).isBetween(1, 5));
    }

    @Test
    void goes_on_with_a_request_on_its_own_event_loop() {
        assertThat(ours.send("/slow", TestGateway.anyone()).headers().firstValue(THREAD))
                .hasValueSatisfying(thread -> assertThat(thread).startsWith("reactor-http-"));
    }

    @Test
    void rejects_requests_without_a_key() {
        assertThat(ours.sendWithoutKey("/slow").statusCode()).isEqualTo(403);
    }

    @Test
    void keeps_limiting_while_redis_is_unavailable() {
        long start = System.nanoTime();
        int granted = granted(alone.load("/slow", 30));
        assertThat(granted).isBetween(5, (int) (5 + (System.nanoTime() - start) / 1e9));
    }
}
