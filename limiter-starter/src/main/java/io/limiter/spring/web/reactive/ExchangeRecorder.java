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
 * Hears of the decisions of one exchange, from any thread, and writes them to the headers right before these are sent. An
 * exchange is handled once, so there is no other dispatch that could ask again.
 */
final class ExchangeRecorder implements DecisionRecorder {

    private static final String ATTRIBUTE = ExchangeRecorder.class.getName();

    private final RequestDecisions decisions = new RequestDecisions();

    /** That of an exchange, which begins with the first call. */
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
     * Sets a header that has a value. Others need not be taken back: headers are written when all is decided, and removing
     * one is another method in Spring 7.
     */
    static void set(HttpHeaders headers, String name, @Nullable String value) {
        if (value != null) {
            headers.set(name, value);
        }
    }

    /** {@code null} if it has not begun. */
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
