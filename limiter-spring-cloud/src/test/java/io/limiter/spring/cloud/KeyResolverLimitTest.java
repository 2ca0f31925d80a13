package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.web.ReactiveRuleLimits;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/** Routes with the filter Limit whose key a KeyResolver finds, from the header X-Caller. */
class KeyResolverLimitTest {

    /** Another resolver, which no filter but Limit finds. */
    static class Two extends TestGateway.Application {

        @Bean(defaultCandidate = false)
        KeyResolver others() {
            return exchange ->
                    Mono.just("of-" + exchange.getRequest().getHeaders().getFirst("X-Caller"));
        }
    }

    private static TestGateway gateway(List<String> route) {
        return TestGateway.Server.WEBFLUX.start(
                Two.class,
                route,
                List.of(
                        "limiter.http.mail.limits.one.limit=1",
                        "limiter.http.mail.limits.one.per=1h",
                        "limiter.http.tokens.cost=50",
                        "limiter.http.tokens.settle=response-json:/usage/total_tokens",
                        "limiter.http.tokens.limits.one.limit=1000",
                        "limiter.http.tokens.limits.one.per=1h"));
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
        routes.addAll(TestGateway.Server.WEBFLUX.route(
                2, "model", "filters[0]=Limit=tokens,#{@callers}", "filters[1]=Limit=tokens,#{@others}"));
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
            settlesBothKeys(gateway, caller);
            assertThatThrownBy(() -> gateway.context()
                            .getBean(ReactiveRuleLimits.class)
                            .peek("mail")
                            .block())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("the key of the rule 'mail' is that of the keyResolver of a route");
        }
    }

    private static void settlesBothKeys(TestGateway gateway, String caller) {
        assertThat(gateway.send("/model?json", caller).statusCode()).isEqualTo(200);
        Limiter tokens = gateway.context()
                .getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withPrefix("httpLimit:"))
                .build("tokens", FixedWindow.of(1000, Duration.ofHours(1)));
        for (String key : List.of(caller, "of-" + caller)) {
            Eventually.that(() ->
                    assertThat(1000 - tokens.on(key).peek().remaining()).as(key).isEqualTo(42));
        }
    }

    @Test
    void a_filter_without_a_rule_fails_at_startup() {
        assertThatThrownBy(() -> gateway(TestGateway.Server.WEBFLUX.route(0, "mail", "filters[0].name=Limit")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "rule of the filter Limit must be the name of a rule of limiter.http, such as - Limit=orders");
    }
}
