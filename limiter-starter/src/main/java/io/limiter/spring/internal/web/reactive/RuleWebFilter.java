package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.internal.web.HttpRules;
import io.limiter.spring.internal.web.RequestRecord;
import java.util.function.Function;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Applies rules to each exchange once, before it is handled, without blocking. It also adds the headers of limits to the
 * response, and the exchange to Reactor's context for {@link ExchangeSubscriptions}.
 */
public final class RuleWebFilter implements WebFilter, Ordered {

    private final ExchangeChecks checks;
    private final ApplicationContext application;
    private final int order;
    private final HttpRules rules;
    private final String done;

    /**
     * @param application limits only its own exchanges; a management server calls the filter too, for another application
     * @param name of this filter; rules of filters with one name are applied once
     */
    public RuleWebFilter(
            ExchangeChecks checks, ApplicationContext application, String name, int order, HttpRules rules) {
        this.checks = checks;
        this.application = application;
        this.order = order;
        this.rules = rules;
        this.done = RuleWebFilter.class.getName() + "." + name;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        // Begins to record, also if no rule of this filter applies.
        RequestRecord record = ExchangeRecords.of(exchange, checks.responses().headers());
        if (rules.isEmpty() || isOfOther(exchange)) {
            return handled(exchange, chain);
        }
        ExchangeKeyRequest keyRequest = checks.keyRequest(exchange);
        HttpRules matching = rules.matching(keyRequest);
        if (matching.isEmpty() || exchange.getAttributes().putIfAbsent(done, true) != null) {
            return handled(exchange, chain);
        }
        Function<ServerWebExchange, Mono<Void>> handler = granted ->
                record.reading() == null ? handled(granted, chain) : checks.read(granted, read -> handled(read, chain));
        if (!matching.usesForm()) {
            return checks.check(exchange, keyRequest, matching, handler);
        }
        return FormExchange.read(exchange)
                .flatMap(read -> FormExchange.form(read)
                        .flatMap(form -> checks.check(read, checks.keyRequest(read, form), matching, handler)));
    }

    /** Puts the exchange there once more, because filters before this one may have changed it. */
    private static Mono<Void> handled(ServerWebExchange exchange, WebFilterChain chain) {
        return chain.filter(exchange).contextWrite(context -> ExchangeSubscriptions.put(context, exchange));
    }

    private boolean isOfOther(ServerWebExchange exchange) {
        ApplicationContext handling = exchange.getApplicationContext();
        return handling != null && handling != application;
    }
}
