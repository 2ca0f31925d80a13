package io.limiter.spring.cloud;

import static org.springframework.cloud.gateway.support.GatewayToStringStyler.filterToStringCreator;

import io.limiter.spring.internal.key.spel.RuleKey;
import io.limiter.spring.internal.web.HttpRules;
import io.limiter.spring.internal.web.RouteRules;
import io.limiter.spring.internal.web.reactive.ExchangeChecks;
import io.limiter.spring.settings.InvalidSettingException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * The filter {@code Limit} of the reactive gateway, which applies a rule of {@code limiter.http} without a path: {@code - Limit=orders}.
 * Routes that name the same rule share its permits. If limits are disabled, it grants everything. Safe for use by many threads.
 */
public final class LimitGatewayFilterFactory extends AbstractGatewayFilterFactory<LimitGatewayFilterFactory.Config> {

    private final ObjectProvider<RouteRules> rules;
    private final ObjectProvider<ExchangeChecks> checks;

    LimitGatewayFilterFactory(ObjectProvider<RouteRules> rules, ObjectProvider<ExchangeChecks> checks) {
        super(Config.class);
        this.rules = rules;
        this.checks = checks;
    }

    @Override
    public List<String> shortcutFieldOrder() {
        return List.of("rule", "keyResolver");
    }

    /** @throws InvalidSettingException if there is no such rule, or if it has a path */
    @Override
    public GatewayFilter apply(Config config) {
        return new Shown(
                filter(config),
                filterToStringCreator(this).append("rule", config.getRule()).toString());
    }

    /** @param text as the gateway's own filters are shown by its Actuator endpoint */
    private record Shown(GatewayFilter filter, String text) implements GatewayFilter {

        @Override
        public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
            return filter.filter(exchange, chain);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private GatewayFilter filter(Config config) {
        RouteRules known = rules.getIfAvailable();
        if (known == null) {
            return (exchange, chain) -> chain.filter(exchange);
        }
        String rule = config.getRule();
        if (rule == null) {
            throw new InvalidSettingException(
                    "rule", " of the filter Limit must be the name of a rule of limiter.http, such as - Limit=orders");
        }
        HttpRules rulesOfRoute = known.named(rule);
        KeyResolver keys = config.getKeyResolver();
        if (keys != null) {
            known.keyedByRoutes(rule);
        }
        ExchangeChecks checking = checks.getObject();
        return (exchange, chain) -> {
            return keys == null
                    ? checking.check(exchange, rulesOfRoute, chain::filter)
                    : keys.resolve(exchange)
                            .defaultIfEmpty("")
                            .flatMap(key ->
                                    checking.check(exchange, rulesOfRoute.by(RuleKey.known(key)), chain::filter));
        };
    }

    /** The arguments of the filter. */
    public static final class Config {

        private @Nullable String rule;
        private @Nullable KeyResolver keyResolver;

        public @Nullable String getRule() {
            return rule;
        }

        /** A key of {@code limiter.http}. */
        public void setRule(String newRule) {
            rule = newRule;
        }

        public @Nullable KeyResolver getKeyResolver() {
            return keyResolver;
        }

        /** Finds the key of a request, rather than the {@code key} of the rule. Default: none. */
        public void setKeyResolver(KeyResolver newKeyResolver) {
            keyResolver = newKeyResolver;
        }
    }
}
