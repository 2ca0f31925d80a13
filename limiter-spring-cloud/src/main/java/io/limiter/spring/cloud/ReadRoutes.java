package io.limiter.spring.cloud;

import io.limiter.spring.internal.key.LazyLookup;
import io.limiter.spring.internal.web.RouteRules;
import io.limiter.spring.internal.web.reactive.ExchangeChecks;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.NettyWriteResponseFilter;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Reads the responses of the reactive gateway for rules that settle by them. The gateway writes a response once all filters of its route
 * are done, so the filter {@code Limit} never sees it.
 */
final class ReadRoutes implements GlobalFilter, Ordered {

    private final Supplier<@Nullable RouteRules> rules;
    private final Supplier<ExchangeChecks> checks;

    /** @param rules has none if limits are disabled, and neither has {@code checks} */
    ReadRoutes(ObjectProvider<RouteRules> rules, ObjectProvider<ExchangeChecks> checks) {
        this.rules = new LazyLookup<>(rules::getIfAvailable);
        this.checks = new LazyLookup<>(checks::getObject);
    }

    @Override
    public int getOrder() {
        return NettyWriteResponseFilter.WRITE_RESPONSE_FILTER_ORDER - 1;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
        RouteRules known = rules.get();
        return known == null || !known.readsResponses()
                ? chain.filter(exchange)
                : checks.get().read(exchange, chain::filter);
    }
}
