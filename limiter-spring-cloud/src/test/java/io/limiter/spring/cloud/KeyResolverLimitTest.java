package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.settings.InvalidSettingException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Routes with the filter Limit whose key a KeyResolver finds, from the header X-Caller. */
class KeyResolverLimitTest {

    private static TestGateway gateway(String... filter) {
        return TestGateway.Server.WEBFLUX.start(
                TestGateway.Server.WEBFLUX.route(0, "mail", filter),
                List.of("limiter.http.mail.limits.one.limit=1", "limiter.http.mail.limits.one.period=1h"));
    }

    @Test
    void hasPrecedenceOverTheKeyOfTheRule() {
        try (TestGateway gateway = gateway(
                "filters[0].name=Limit", "filters[0].args.rule=mail", "filters[0].args.key-resolver=#{@callers}")) {
            String caller = TestGateway.anyone();
            assertThat(gateway.send("/mail", caller).statusCode()).isEqualTo(204);
            assertThat(gateway.send("/mail", caller).statusCode()).isEqualTo(429);
            assertThat(gateway.send("/mail", TestGateway.anyone()).statusCode()).isEqualTo(204);
            assertThat(gateway.sendWithoutKey("/mail").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void isTheSecondArgumentInShort() {
        try (TestGateway gateway = gateway("filters[0]=Limit=mail,#{@callers}")) {
            assertThat(gateway.send("/mail", TestGateway.anyone()).statusCode()).isEqualTo(204);
            assertThat(gateway.sendWithoutKey("/mail").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void aFilterWithoutARulePreventsStartup() {
        assertThatThrownBy(() -> gateway("filters[0].name=Limit"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "rule of the filter Limit must be the name of a rule of limiter.http, such as - Limit=orders");
    }
}
