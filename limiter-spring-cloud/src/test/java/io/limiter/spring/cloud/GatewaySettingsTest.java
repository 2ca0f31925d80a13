package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Settings of the gateway, and of the limiter, that RequestRateLimiter filters obey. */
class GatewaySettingsTest {

    private static final String SETTINGS = "spring.cloud.gateway.server.webflux.";
    private static final String[] HEADERS = {
        "x-ratelimit-remaining",
        "x-ratelimit-replenish-rate",
        "x-ratelimit-burst-capacity",
        "x-ratelimit-requested-tokens"
    };

    private static TestGateway gateway(List<String> settings) {
        return TestGateway.Server.WEBFLUX.start(
                TestGateway.Application.class,
                TestGateway.limited(0, "costly", "replenishRate=1", "burstCapacity=60", "requestedTokens=60"),
                TestGateway.limited(1, "blocked", "replenishRate=1", "burstCapacity=0"),
                List.of(TestGateway.REPLACING),
                settings);
    }

    @Test
    void headers_that_are_switched_off_are_not_sent_except_retry_after() {
        try (TestGateway gateway = gateway(List.of(SETTINGS + "redis-rate-limiter.include-headers=false"))) {
            String caller = TestGateway.anyone();
            HttpResponse<String> granted = gateway.send("/costly", caller);
            assertThat(granted.statusCode()).isEqualTo(204);
            assertThat(granted.headers().map()).doesNotContainKeys(HEADERS);
            HttpResponse<String> rejected = gateway.send("/costly", caller);
            assertThat(rejected.headers().map()).containsKey("retry-after").doesNotContainKeys(HEADERS);
        }
    }

    @Test
    void headers_have_configured_names_and_an_empty_key_need_not_be_rejected() {
        try (TestGateway gateway = gateway(List.of(
                SETTINGS + "redis-rate-limiter.remaining-header=X-Left",
                SETTINGS + "redis-rate-limiter.replenish-rate-header=X-Rate",
                SETTINGS + "redis-rate-limiter.burst-capacity-header=X-Capacity",
                SETTINGS + "redis-rate-limiter.requested-tokens-header=X-Cost",
                SETTINGS + "filter.request-rate-limiter.deny-empty-key=false"))) {
            HttpResponse<String> granted = gateway.send("/costly", TestGateway.anyone());
            assertThat(granted.headers().firstValue("X-Left")).hasValue("0");
            assertThat(granted.headers().firstValue("X-Rate")).hasValue("1");
            assertThat(granted.headers().firstValue("X-Capacity")).hasValue("60");
            assertThat(granted.headers().firstValue("X-Cost")).hasValue("60");
            assertThat(gateway.sendWithoutKey("/blocked").statusCode()).isEqualTo(204);
        }
    }

    @Test
    void answers_503_while_redis_is_unavailable_if_it_fails_closed() {
        try (TestGateway gateway =
                gateway(Stream.concat(TestGateway.withoutRedis().stream(), Stream.of("limiter.on-failure=deny"))
                        .toList())) {
            assertThat(gateway.send("/costly", "ann").statusCode()).isEqualTo(503);
        }
    }
}
