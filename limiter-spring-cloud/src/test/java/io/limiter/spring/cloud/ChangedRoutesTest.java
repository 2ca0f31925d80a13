package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import io.limiter.spring.settings.InvalidSettingException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.event.RefreshRoutesEvent;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.handler.predicate.PredicateDefinition;
import org.springframework.cloud.gateway.route.RouteDefinition;
import org.springframework.cloud.gateway.route.RouteDefinitionWriter;
import org.springframework.test.util.ReflectionTestUtils;
import reactor.core.publisher.Mono;

/** Routes with RequestRateLimiter filters that change while the gateway runs. */
class ChangedRoutesTest {

    private static TestGateway gateway;

    @BeforeAll
    static void start() {
        gateway = TestGateway.Server.WEBFLUX.start(
                TestGateway.Application.class,
                TestGateway.limited(0, "a", "replenishRate=1"),
                List.of(TestGateway.REPLACING));
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static GatewayRateLimiter limiter() {
        return gateway.context().getBean(GatewayRateLimiter.class);
    }

    private static void read(String routeId, String rate, String capacity, String tokens) {
        Map<String, Object> arguments = Map.of(
                "redis-rate-limiter.replenishRate", rate,
                "redis-rate-limiter.burstCapacity", capacity,
                "redis-rate-limiter.requestedTokens", tokens);
        limiter().onApplicationEvent(new FilterArgsEvent(gateway, routeId, arguments));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0  | 4  | 1 | replenishRate   | must be greater than or equal to 1, was 0",
                "-2 | 4  | 1 | replenishRate   | must be greater than or equal to 1, was -2",
                "1  | -1 | 1 | *               | must be whole numbers, burstCapacity at least 0 and the others at least 1: BurstCapacity(-1)",
                "1  | 4  | 0 | requestedTokens | must be greater than or equal to 1, was 0",
                "1  | 4  | 5 | requestedTokens | must be between 1 and the burstCapacity 4, was 5: no request",
                "1  | x  | 1 | *               | must be whole numbers, burstCapacity at least 0 and the others at least 1: For input string",
            })
    void a_bad_argument_is_named(String rate, String capacity, String tokens, String argument, String message) {
        assertThatThrownBy(() -> read("bad", rate, capacity, tokens))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith("redis-rate-limiter." + argument + " of the route bad " + message);
        assertThat(limiter().getConfig()).doesNotContainKey("bad");
    }

    @Test
    void a_route_keeps_its_arguments_if_changed_ones_are_bad() {
        assertThatThrownBy(() -> read("a", "1", "1", "2")).isInstanceOf(InvalidSettingException.class);
        assertThat(gateway.send("/a", TestGateway.anyone()).statusCode()).isEqualTo(204);
    }

    @Test
    void a_route_that_is_removed_keeps_no_limit() {
        RouteDefinitionWriter routes = gateway.context().getBean(RouteDefinitionWriter.class);
        routes.save(Mono.just(route("later"))).block();
        refresh();
        String caller = TestGateway.anyone();
        assertThat(gateway.send("/later", caller).statusCode()).isEqualTo(204);
        assertThat(gateway.send("/later", caller).statusCode()).isEqualTo(429);
        assertLimits("a", "later");
        routes.delete(Mono.just("later")).block();
        refresh();
        assertThat(gateway.send("/later", caller).statusCode()).isEqualTo(404);
        assertLimits("a");
        // As for a request that was on its way.
        assertThat(limiter().isAllowed("later", caller).block()).isNotNull();
    }

    private static RouteDefinition route(String id) {
        RouteDefinition route = new RouteDefinition();
        route.setId(id);
        route.setUri(URI.create(TestGateway.upstreamUri()));
        route.setPredicates(List.of(new PredicateDefinition("Path=/" + id)));
        FilterDefinition filter = new FilterDefinition();
        filter.setName("RequestRateLimiter");
        filter.setArgs(Map.of(
                "redis-rate-limiter.replenishRate", "1",
                "redis-rate-limiter.burstCapacity", "60",
                "redis-rate-limiter.requestedTokens", "60"));
        route.setFilters(List.of(filter));
        return route;
    }

    private static void refresh() {
        gateway.context().publishEvent(new RefreshRoutesEvent(gateway));
    }

    private static void assertLimits(String... routeIds) {
        assertThat(ReflectionTestUtils.getField(limiter(), "limits"))
                .asInstanceOf(MAP)
                .containsOnlyKeys((Object[]) routeIds);
    }
}
