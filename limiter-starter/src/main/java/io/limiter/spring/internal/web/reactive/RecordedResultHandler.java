package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.internal.aop.result.RecordedResult;
import io.limiter.spring.internal.web.HeaderSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.core.Ordered;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Gives the exchange to the limits of handler methods that return futures, because the thread that calls the method does not know it:
 * they read it and are shown in its response. The handler that comes after this one writes the result.
 */
public final class RecordedResultHandler implements HandlerResultHandler, Ordered {

    private final HeaderSet headers;
    private final Supplier<Stream<HandlerResultHandler>> handlers;

    /** @param handlers all of the application, in their order */
    public RecordedResultHandler(HeaderSet headers, Supplier<Stream<HandlerResultHandler>> handlers) {
        this.headers = headers;
        this.handlers = handlers;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public boolean supports(HandlerResult result) {
        return result.getReturnValue() instanceof RecordedResult;
    }

    @Override
    public Mono<Void> handleResult(ServerWebExchange exchange, HandlerResult result) {
        return Mono.deferContextual(context -> {
            if (result.getReturnValue() instanceof RecordedResult recorded) {
                recorded.handledIn(context, ExchangeRecords.of(exchange, headers));
            }
            return handledByNext(exchange, result);
        });
    }

    private Mono<Void> handledByNext(ServerWebExchange exchange, HandlerResult result) {
        return handlers.get()
                .filter(handler -> handler != this && handler.supports(result))
                .findFirst()
                .map(handler -> handler.handleResult(exchange, result))
                .orElseGet(() -> Mono.error(
                        new IllegalStateException("No HandlerResultHandler for " + result.getReturnValue())));
    }
}
