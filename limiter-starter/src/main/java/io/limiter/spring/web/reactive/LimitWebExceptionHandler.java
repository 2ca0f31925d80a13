package io.limiter.spring.web.reactive;

import io.limiter.spring.web.Answers;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Answers a rejected call of WebFlux, as {@link Answers} says.
 *
 * <p>What {@code @ExceptionHandler} methods handle does not come here, and handlers of the application with an order below
 * -1 come before it. It comes right before the one of Spring Boot that answers all exceptions, whose order is -1 too.
 */
public final class LimitWebExceptionHandler implements WebExceptionHandler, Ordered {

    /** That of Spring Boot's own handler. */
    public static final int ORDER = -1;

    private final ExchangeAnswers answers;

    public LimitWebExceptionHandler(ExchangeAnswers answers) {
        this.answers = answers;
    }

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable exception) {
        RuntimeException rejection = Answers.rejection(exception);
        return rejection == null || exchange.getResponse().isCommitted()
                ? Mono.error(exception)
                : answers.write(rejection, exchange);
    }
}
