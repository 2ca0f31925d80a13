package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.internal.web.HeaderSet;
import io.limiter.spring.internal.web.RejectionResponses;
import io.limiter.spring.web.RejectionResponse;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Writes {@link RejectionResponses} to exchanges, also to those whose handler a rejection has failed. Safe for use by many threads.
 *
 * <p>{@code @ExceptionHandler} methods, and handlers of the application with an order below -1, have precedence. Spring Boot's
 * handler of all exceptions has the order -1 too, and comes after this one.
 */
public final class ExchangeRejectionResponses implements WebExceptionHandler, Ordered {

    /** The order of Spring Boot's own handler. */
    public static final int ORDER = -1;

    private static final Logger log = LoggerFactory.getLogger(ExchangeRejectionResponses.class);

    private final RejectionResponses responses;

    public ExchangeRejectionResponses(RejectionResponses responses) {
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
                : write(rejection, exchange);
    }

    HeaderSet headers() {
        return responses.headers();
    }

    /**
     * Answers a rejected exchange. Writes nothing if the response is already committed.
     *
     * @param rejection see {@link RejectionResponses#of}
     */
    Mono<Void> write(RuntimeException rejection, ServerWebExchange exchange) {
        if (exchange.getResponse().isCommitted()) {
            log.debug("Rejected a request whose response is already committed");
            return Mono.empty();
        }
        Mono<RejectionResponse> answer = Mono.fromSupplier(() -> answer(rejection, exchange));
        return (responses.mayBlock() ? answer.subscribeOn(Schedulers.boundedElastic()) : answer)
                .flatMap(written -> write(written, exchange.getResponse()));
    }

    private RejectionResponse answer(RuntimeException rejection, ServerWebExchange exchange) {
        Locale locale = exchange.getLocaleContext().getLocale();
        return responses.of(
                rejection,
                ExchangeRecords.find(exchange),
                locale == null ? Locale.getDefault() : locale,
                exchange.getRequest().getURI().getRawPath());
    }

    private static Mono<Void> write(RejectionResponse answer, ServerHttpResponse response) {
        response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
        answer.headers().forEach((name, value) -> ExchangeRecords.set(response.getHeaders(), name, value));
        response.getHeaders().setContentLength(answer.body().length);
        if (answer.contentType() == null) {
            return response.setComplete();
        }
        response.getHeaders().setContentType(MediaType.parseMediaType(answer.contentType()));
        return response.writeWith(Mono.just(response.bufferFactory().wrap(answer.body())));
    }
}
