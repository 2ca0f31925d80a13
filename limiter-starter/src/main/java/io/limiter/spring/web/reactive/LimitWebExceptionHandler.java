package io.limiter.spring.web.reactive;

import io.limiter.spring.web.RejectionResponses;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Responds to rejected calls of WebFlux; see {@link RejectionResponses}.
 *
 * <p>{@code @ExceptionHandler} methods, and handlers of the application with an order below -1, have precedence. Spring Boot's
 * handler of all exceptions has the order -1 too, and comes after this one.
 */
public final class LimitWebExceptionHandler implements WebExceptionHandler, Ordered {

    /** The order of Spring Boot's own handler. */
    public static final int ORDER = -1;

    private final ExchangeRejectionResponses responses;

    public LimitWebExceptionHandler(ExchangeRejectionResponses responses) {
        this.responses = responses;
    }

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable exception) {
        RuntimeException rejection = RejectionResponses.rejection(exception);
        return rejection == null || exchange.getResponse().isCommitted()
                ? Mono.error(exception)
                : responses.write(rejection, exchange);
    }
}
