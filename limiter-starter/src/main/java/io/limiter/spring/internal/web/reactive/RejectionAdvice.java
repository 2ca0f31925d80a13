package io.limiter.spring.internal.web.reactive;

import io.limiter.LimiterBackendException;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.internal.web.CatchAllHandlers;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.MissingLimitKeyException;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Responds to rejected calls that an {@code @ExceptionHandler} method of an advice for all exceptions would answer otherwise. If an
 * advice names the exception, or none handles it, it is left to them and to {@link ExchangeRejectionResponses}. That holds for all
 * controllers, even if that advice applies to only some of them, because WebFlux sorts advice only once, and asks no further advice
 * if one declines. Each exception has an advice of its own, because an application may name one of them.
 */
public abstract class RejectionAdvice implements Ordered {

    private final ExchangeRejectionResponses responses;
    private final CatchAllHandlers handlers;
    private final Class<? extends RuntimeException> exception;

    private RejectionAdvice(
            ExchangeRejectionResponses responses,
            CatchAllHandlers handlers,
            Class<? extends RuntimeException> exception) {
        this.responses = responses;
        this.handlers = handlers;
        this.exception = exception;
    }

    @Override
    public int getOrder() {
        return precedes() ? Ordered.HIGHEST_PRECEDENCE : Ordered.LOWEST_PRECEDENCE;
    }

    private boolean precedes() {
        return handlers.answerByAnyAdvice(exception);
    }

    /** An error leaves the exception to the handlers of the application's exceptions. */
    final Mono<Void> respond(RuntimeException thrown, ServerWebExchange exchange) {
        return precedes() ? responses.handle(exchange, thrown) : Mono.error(thrown);
    }

    /** Responds to exceeded limits. */
    @ControllerAdvice
    public static final class Exceeded extends RejectionAdvice {

        public Exceeded(ExchangeRejectionResponses responses, CatchAllHandlers handlers) {
            super(responses, handlers, RateLimitExceededException.class);
        }

        @ExceptionHandler
        Mono<Void> exceeded(RateLimitExceededException thrown, ServerWebExchange exchange) {
            return respond(thrown, exchange);
        }
    }

    /** Responds to calls without a key. */
    @ControllerAdvice
    public static final class MissingKey extends RejectionAdvice {

        public MissingKey(ExchangeRejectionResponses responses, CatchAllHandlers handlers) {
            super(responses, handlers, MissingLimitKeyException.class);
        }

        @ExceptionHandler
        Mono<Void> missing(MissingLimitKeyException thrown, ServerWebExchange exchange) {
            return respond(thrown, exchange);
        }
    }

    /** Responds to calls with an invalid cost or condition. */
    @ControllerAdvice
    public static final class InvalidArgument extends RejectionAdvice {

        public InvalidArgument(ExchangeRejectionResponses responses, CatchAllHandlers handlers) {
            super(responses, handlers, InvalidLimitArgumentException.class);
        }

        @ExceptionHandler
        Mono<Void> invalid(InvalidLimitArgumentException thrown, ServerWebExchange exchange) {
            return respond(thrown, exchange);
        }
    }

    /** Responds to calls whose limit could not be decided. */
    @ControllerAdvice
    public static final class Undecided extends RejectionAdvice {

        public Undecided(ExchangeRejectionResponses responses, CatchAllHandlers handlers) {
            super(responses, handlers, LimiterBackendException.class);
        }

        @ExceptionHandler
        Mono<Void> undecided(LimiterBackendException thrown, ServerWebExchange exchange) {
            return respond(thrown, exchange);
        }
    }
}
