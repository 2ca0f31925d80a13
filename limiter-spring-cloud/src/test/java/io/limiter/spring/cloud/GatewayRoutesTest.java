package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.settings.InvalidSettingException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import reactor.core.publisher.Mono;

/** What a gateway says at its start, and which of several rate limiters it uses. */
class GatewayRoutesTest {

    @Configuration(proxyBeanMethods = false)
    static class OwnRedisRateLimiter extends TestGateway.Application {

        @Bean
        RedisRateLimiter mine() {
            return new RedisRateLimiter(1, 1);
        }
    }

    /** Rejects all. */
    static final class Closed extends AbstractRateLimiter<Object> {

        Closed() {
            super(Object.class, "closed", null);
        }

        @Override
        public Mono<Response> isAllowed(String routeId, String id) {
            return Mono.just(new Response(false, Map.of()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnRateLimiter extends TestGateway.Application {

        @Bean
        RateLimiter<Object> closed() {
            return new Closed();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryRateLimiter extends TestGateway.Application {

        @Bean
        @Primary
        RateLimiter<Object> closed() {
            return new Closed();
        }
    }

    private static TestGateway start(Class<?> application, List<String> route, String... more) {
        return TestGateway.Server.WEBFLUX.start(application, List.of(TestGateway.REPLACING), route, List.of(more));
    }

    @Test
    void a_redis_rate_limiter_of_the_application_fails_at_startup() {
        assertThatThrownBy(() -> start(OwnRedisRateLimiter.class, TestGateway.limited(0, "a", "replenishRate=1")))
                .rootCause()
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage("limiter.gateway.replace-redis-rate-limiter cannot replace the bean 'mine', which is a"
                        + " RedisRateLimiter of the application: remove that bean and inject RedisRateLimiter where"
                        + " routes in Java use it, or remove the setting");
    }

    @Test
    void the_setting_is_on_however_that_is_written_and_nothing_else() {
        String setting = TestGateway.REPLACING.replace("true", "");
        try (TestGateway gateway = TestGateway.Server.WEBFLUX.start(
                TestGateway.Application.class,
                List.of(setting + "on"),
                TestGateway.limited(0, "a", "replenishRate=1"))) {
            assertThat(gateway.context().getBeansOfType(GatewayRateLimiter.class))
                    .hasSize(1);
        }
        assertThatThrownBy(() -> TestGateway.Server.WEBFLUX.start(
                        TestGateway.Application.class,
                        List.of(setting + "please"),
                        TestGateway.limited(0, "a", "replenishRate=1")))
                .rootCause()
                .hasMessageContaining("limiter.gateway.replace-redis-rate-limiter with value 'please'")
                .hasMessageContaining("true or false");
    }

    @Test
    void a_bad_argument_fails_at_startup() {
        assertThatThrownBy(() -> start(TestGateway.Application.class, TestGateway.limited(0, "a", "replenishRate=0")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith("redis-rate-limiter.replenishRate of the route a must be");
    }

    @Test
    void a_filter_without_a_rate_fails_at_startup() {
        assertThatThrownBy(() -> start(TestGateway.Application.class, TestGateway.limited(0, "a")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage("redis-rate-limiter.replenishRate of the route a must be set, for the route or in the"
                        + " default filters, such as redis-rate-limiter.replenishRate=10");
    }

    @Test
    void a_bad_route_is_left_out_if_the_application_wants_that() {
        try (TestGateway gateway = start(
                TestGateway.Application.class,
                TestGateway.limited(0, "a", "replenishRate=0"),
                "spring.cloud.gateway.server.webflux.fail-on-route-definition-error=false")) {
            assertThat(gateway.send("/a", "ann").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void a_rate_limiter_of_the_application_has_precedence() {
        try (TestGateway gateway = start(OwnRateLimiter.class, TestGateway.limited(0, "a", "replenishRate=1"))) {
            assertThat(gateway.send("/a", TestGateway.anyone()).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void a_primary_rate_limiter_has_precedence_and_a_route_may_name_this_one() {
        String ofB = "spring.cloud.gateway.server.webflux.routes[1].filters[0].args.rate-limiter=";
        try (TestGateway gateway = TestGateway.Server.WEBFLUX.start(
                PrimaryRateLimiter.class,
                TestGateway.limited(0, "a", "replenishRate=1"),
                TestGateway.limited(1, "b", "replenishRate=1", "burstCapacity=60", "requestedTokens=60"),
                List.of(TestGateway.REPLACING, ofB + "#{@limiterGatewayRateLimiter}"))) {
            assertThat(gateway.send("/a", "ann").statusCode()).isEqualTo(429);
            String caller = TestGateway.anyone();
            assertThat(gateway.send("/b", caller).statusCode()).isEqualTo(204);
            assertThat(gateway.send("/b", caller).statusCode()).isEqualTo(429);
        }
    }
}
