package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.settings.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Routes with the filter Limit whose key a KeyResolver finds, from the header X-Caller. */
class KeyResolverLimitTest {

    private static TestGateway gateway(List<String> route) {
        return TestGateway.Server.WEBFLUX.start(
                route, List.of("limiter.http.mail.limits.one.limit=1", "limiter.http.mail.limits.one.per=1h"));
    }

    @Test
    void has_precedence_over_the_key_of_the_rule_also_as_the_second_argument_in_short() {
        List<String> routes = new ArrayList<>(TestGateway.Server.WEBFLUX.route(
                0,
                "mail",
                "filters[0].name=Limit",
                "filters[0].args.rule=mail",
                "filters[0].args.key-resolver=#{@callers}"));
        routes.addAll(TestGateway.Server.WEBFLUX.route(1, "short", "filters[0]=Limit=mail,#{@callers}"));
        try (TestGateway gateway = gateway(routes)) {
            String caller = TestGateway.anyone();
            assertThat(gateway.send("/mail", caller).statusCode()).isEqualTo(204);
            assertThat(gateway.send("/mail", caller).statusCode()).isEqualTo(429);
            assertThat(gateway.send("/short", caller).statusCode()).isEqualTo(429);
            assertThat(gateway.send("/mail", TestGateway.anyone()).statusCode()).isEqualTo(204);
            assertThat(gateway.send("/short", TestGateway.anyone()).statusCode())
                    .isEqualTo(204);
            assertThat(gateway.sendWithoutKey("/mail").statusCode()).isEqualTo(400);
            assertThat(gateway.sendWithoutKey("/short").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void a_filter_without_a_rule_prevents_startup() {
        assertThatThrownBy(() -> gateway(TestGateway.Server.WEBFLUX.route(0, "mail", "filters[0].name=Limit")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "rule of the filter Limit must be the name of a rule of limiter.http, such as - Limit=orders");
    }
}
