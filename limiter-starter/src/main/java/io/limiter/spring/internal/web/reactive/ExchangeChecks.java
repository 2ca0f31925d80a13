package io.limiter.spring.internal.web.reactive;

import io.limiter.LimiterBackendException;
import io.limiter.spring.internal.aop.result.CallThreads;
import io.limiter.spring.internal.aop.result.CurrentEventLoop;
import io.limiter.spring.internal.check.Check;
import io.limiter.spring.internal.check.Rejection;
import io.limiter.spring.internal.web.FormBody;
import io.limiter.spring.internal.web.HttpRules;
import io.limiter.spring.internal.web.RequestRecord;
import io.limiter.spring.internal.web.usage.ResponseReading;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * Checks exchanges by the rules that match them, as the filters of an application and of its routes do, without blocking. Safe for use
 * by many threads.
 *
 * @param users {@code null} if the application has no users
 */
public record ExchangeChecks(
        ClientAddress addresses,
        @Nullable CurrentUser users,
        ExchangeSubscriptions subscriptions,
        ExchangeRejectionResponses responses) {

    /**
     * Applies rules to an exchange, as often as it is called.
     *
     * @param handler follows if the limits grant; otherwise the exchange is answered
     */
    public Mono<Void> check(
            ServerWebExchange exchange, HttpRules rules, Function<ServerWebExchange, Mono<Void>> handler) {
        ExchangeKeyRequest keyRequest = keyRequest(exchange);
        return check(exchange, keyRequest, rules.matching(keyRequest), handler);
    }

    /**
     * Reads the body of the response that the handler writes, if a rule needs that, also a rule that is applied while the exchange is
     * handled.
     */
    public Mono<Void> read(ServerWebExchange exchange, Function<ServerWebExchange, Mono<Void>> handler) {
        RequestRecord record = ExchangeRecords.of(exchange, responses.headers());
        ServerHttpResponse response = new ReadResponse(exchange.getResponse(), record);
        // Unless the caller has left, the status may be known later: a handler of errors may write another response,
        // and a filter
        // may keep one without a body.
        return handler.apply(exchange.mutate().response(response).build()).doFinally(end -> {
            if (end == SignalType.CANCEL) {
                record.brokeOff();
            }
            record.bodyEnded(end == SignalType.CANCEL);
        });
    }

    ExchangeKeyRequest keyRequest(ServerWebExchange exchange) {
        FormBody body = FormExchange.bodyOf(exchange);
        return keyRequest(exchange, body == null ? FormExchange.NONE : body::first);
    }

    /** @param form see {@link FormExchange#form} */
    ExchangeKeyRequest keyRequest(ServerWebExchange exchange, UnaryOperator<@Nullable String> form) {
        return new ExchangeKeyRequest(exchange, addresses, users, form);
    }

    Mono<Void> check(
            ServerWebExchange exchange,
            ExchangeKeyRequest keyRequest,
            HttpRules matching,
            Function<ServerWebExchange, Mono<Void>> handler) {
        RequestRecord record = ExchangeRecords.of(exchange, responses.headers());
        return subscriptions
                .call(exchange, matching.usesUser(), FormExchange.NONE, () -> matching.check(keyRequest, record))
                .flatMap(ExchangeChecks::rejection)
                .onErrorResume(MissingLimitKeyException.class, e -> Mono.just(Optional.of(e)))
                .onErrorResume(LimiterBackendException.class, e -> Mono.just(Optional.of(e)))
                .flatMap(rejection -> rejection
                        .map(e -> responses.write(e, exchange))
                        .orElseGet(() -> handler.apply(granted(exchange, record))));
    }

    /** If the response is read, its handler does not compress it, and asks no server behind it to. */
    private static ServerWebExchange granted(ServerWebExchange exchange, RequestRecord record) {
        ResponseReading reading = record.reading();
        return reading == null || !reading.readsBody()
                ? exchange
                : exchange.mutate()
                        .request(request ->
                                request.headers(headers -> headers.set(HttpHeaders.ACCEPT_ENCODING, "identity")))
                        .build();
    }

    private static Mono<Optional<RuntimeException>> rejection(Check check) {
        return outcome(check.runAsync())
                .map(result -> Optional.ofNullable(result.rejection()).map(Rejection::exception));
    }

    /**
     * Leaves the thread that completed the decision, because other decisions wait for it. On the event loop of the exchange no
     * other thread has to be woken for the response.
     */
    static <T> Mono<T> outcome(CompletableFuture<T> running) {
        Mono<T> outcome = Mono.fromFuture(running);
        return running.isDone() ? outcome : outcome.publishOn(CurrentEventLoop.orElse(CallThreads::execute));
    }
}
