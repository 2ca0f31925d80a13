package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.web.HeaderSet;
import io.limiter.spring.internal.web.RequestRecord;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** Finds the decisions for an exchange, whose headers are written, and whose status is known, right before the response is committed. */
public final class ExchangeRecords {

    private static final String ATTRIBUTE = ExchangeRecords.class.getName();

    private ExchangeRecords() {}

    /** The recorder of the {@link CurrentExchange}; {@code null} if there is none. */
    public static @Nullable DecisionRecorder current() {
        ServerWebExchange exchange = CurrentExchange.get();
        return exchange == null ? null : find(exchange);
    }

    /** The decisions for the exchange in Reactor's context; empty if there is no exchange, or it has none. */
    static Optional<RequestRecord> in(ContextView context) {
        return ServerWebExchangeContextFilter.getExchange(context).map(ExchangeRecords::find);
    }

    /** The exchange of a subscription is answered with a rejection, which this library does not write. */
    public static void rejected(ContextView context) {
        in(context).ifPresent(RequestRecord::rejected);
    }

    /** {@code null} if the exchange has none. */
    static @Nullable RequestRecord find(ServerWebExchange exchange) {
        return exchange.getAttributes().get(ATTRIBUTE) instanceof RequestRecord record ? record : null;
    }

    /** The decisions for an exchange; the first call begins to record them. */
    static RequestRecord of(ServerWebExchange exchange, HeaderSet headers) {
        RequestRecord known = find(exchange);
        if (known != null) {
            return known;
        }
        RequestRecord record = new RequestRecord(headers);
        exchange.getAttributes().put(ATTRIBUTE, record);
        exchange.getResponse()
                .beforeCommit(() -> Mono.fromRunnable(() -> {
                    HttpHeaders sent = exchange.getResponse().getHeaders();
                    record.headers().forEach((name, value) -> set(sent, name, value));
                    HttpStatusCode status = exchange.getResponse().getStatusCode();
                    record.done(status == null ? HttpStatus.OK.value() : status.value(), sent::getFirst);
                }));
        return record;
    }

    /** Sets a header that has a value. No header needs to be removed, because headers are written once. */
    static void set(HttpHeaders headers, String name, @Nullable String value) {
        if (value != null) {
            headers.set(name, value);
        }
    }
}
