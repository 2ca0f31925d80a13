package io.limiter.spring.web.reactive;

import io.limiter.spring.web.HeaderSet;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Adds the headers of limits to the response, and the exchange to Reactor's context for {@link ExchangeSubscriptions}. */
public final class LimitAnswerWebFilter implements WebFilter, Ordered {

    /** Before filters that may call limited methods. */
    public static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

    private final HeaderSet headers;

    public LimitAnswerWebFilter(HeaderSet headers) {
        this.headers = headers;
    }

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ExchangeRecorder.of(exchange, headers);
        return chain.filter(exchange).contextWrite(context -> ExchangeSubscriptions.put(context, exchange));
    }
}
