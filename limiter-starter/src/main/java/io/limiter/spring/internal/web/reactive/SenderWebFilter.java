package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.internal.key.address.Sender;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Keeps who has sent an exchange, ahead of all other filters: they replace the request by another one, under which the first cannot be
 * found any more. A priority-ordered filter comes before all that are only ordered.
 */
public final class SenderWebFilter implements WebFilter, PriorityOrdered {

    private static final String ATTRIBUTE = SenderWebFilter.class.getName();

    private final boolean isNeeded;

    /** @param isNeeded whether a rule has exempt addresses */
    public SenderWebFilter(boolean isNeeded) {
        this.isNeeded = isNeeded;
    }

    /** {@code null} if it was not kept. */
    static @Nullable Sender sender(ServerWebExchange exchange) {
        return exchange.getAttribute(ATTRIBUTE);
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (isNeeded) {
            HttpHeaders headers = exchange.getRequest().getHeaders();
            exchange.getAttributes()
                    .putIfAbsent(
                            ATTRIBUTE,
                            // Copied, because a changed request may share its headers with the first one.
                            new Sender(
                                    CurrentExchange.remote(exchange.getRequest().getRemoteAddress()),
                                    CurrentExchange.lines(headers, Sender.X_FORWARDED_FOR),
                                    CurrentExchange.lines(headers, Sender.FORWARDED),
                                    Sender.isPassedOn(CurrentExchange.names(headers))));
        }
        return chain.filter(exchange);
    }
}
