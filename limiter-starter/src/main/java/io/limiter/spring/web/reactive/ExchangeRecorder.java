package io.limiter.spring.web.reactive;

import io.limiter.algorithm.Decision;
import io.limiter.spring.check.DecisionRecorder;
import io.limiter.spring.check.LimitDecision;
import io.limiter.spring.check.PermitRequest;
import io.limiter.spring.web.HeaderSet;
import io.limiter.spring.web.RequestDecisions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Records the decisions of one exchange, and writes the headers right before the response is committed. An exchange has one
 * dispatch, so no decision is repeated. Safe for use by many threads.
 */
final class ExchangeRecorder implements DecisionRecorder {

    private static final String ATTRIBUTE = ExchangeRecorder.class.getName();

    private final RequestDecisions decisions = new RequestDecisions();

    /** The recorder of an exchange; the first call creates it. */
    static ExchangeRecorder of(ServerWebExchange exchange, HeaderSet headers) {
        ExchangeRecorder known = find(exchange);
        if (known != null) {
            return known;
        }
        ExchangeRecorder recorder = new ExchangeRecorder();
        exchange.getAttributes().put(ATTRIBUTE, recorder);
        exchange.getResponse()
                .beforeCommit(() -> Mono.fromRunnable(() -> {
                    HttpHeaders sent = exchange.getResponse().getHeaders();
                    recorder.decisions.headers(headers).forEach((name, value) -> set(sent, name, value));
                }));
        return recorder;
    }

    /**
     * Sets a header that has a value. No header needs to be removed, because headers are written once.
     */
    static void set(HttpHeaders headers, String name, @Nullable String value) {
        if (value != null) {
            headers.set(name, value);
        }
    }

    /** {@code null} if the exchange has none. */
    static @Nullable ExchangeRecorder find(ServerWebExchange exchange) {
        return exchange.getAttributes().get(ATTRIBUTE) instanceof ExchangeRecorder recorder ? recorder : null;
    }

    RequestDecisions decisions() {
        return decisions;
    }

    @Override
    public @Nullable Decision earlier(PermitRequest request) {
        return null;
    }

    @Override
    public void decided(@Nullable Decision rejection, List<LimitDecision> parts) {
        decisions.add(rejection, parts, this);
    }
}
