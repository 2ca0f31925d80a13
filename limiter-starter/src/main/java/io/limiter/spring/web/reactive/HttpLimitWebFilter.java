package io.limiter.spring.web.reactive;

import io.limiter.LimiterBackendException;
import io.limiter.spring.aop.result.CallThreads;
import io.limiter.spring.aop.result.CurrentEventLoop;
import io.limiter.spring.check.Check;
import io.limiter.spring.check.CheckResult;
import io.limiter.spring.check.Rejection;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.web.FormBody;
import io.limiter.spring.web.HttpRules;
import io.limiter.spring.web.RequestDecisions;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Applies limits to each exchange once, before it is handled, without blocking. It also adds the headers of limits to the
 * response, and the exchange to Reactor's context for {@link ExchangeSubscriptions}.
 */
public final class HttpLimitWebFilter implements WebFilter, Ordered {

    private final Shared shared;
    private final int order;
    private final HttpRules rules;
    private final String done;

    /**
     * What the filters of an application share.
     *
     * @param application limits only its own exchanges; a management server calls the filter too, for another application
     * @param users {@code null} if the application has no users
     */
    public record Shared(
            ApplicationContext application,
            ClientAddress addresses,
            @Nullable CurrentUser users,
            ExchangeSubscriptions subscriptions,
            ExchangeRejectionResponses responses) {

        /**
         * Applies limits to an exchange, as often as it is called.
         *
         * @param handled follows if they grant
         */
        public Mono<Void> limit(ServerWebExchange exchange, HttpRules rules, Mono<Void> handled) {
            ExchangeKeyRequest request = keyRequest(exchange);
            return limit(exchange, request, rules.matching(request), handled);
        }

        private ExchangeKeyRequest keyRequest(ServerWebExchange exchange) {
            FormBody body = FormExchange.bodyOf(exchange);
            return new ExchangeKeyRequest(
                    exchange.getRequest(), addresses, users, body == null ? FormExchange.NONE : body::first);
        }

        private Mono<Void> limit(
                ServerWebExchange exchange, ExchangeKeyRequest request, HttpRules matching, Mono<Void> handled) {
            RequestDecisions decisions = ExchangeDecisions.of(exchange, responses.headers());
            return subscriptions
                    .call(exchange, matching.usesUser(), FormExchange.NONE, () -> matching.check(request, decisions))
                    .flatMap(HttpLimitWebFilter::rejection)
                    .onErrorResume(MissingLimitKeyException.class, e -> Mono.just(Optional.of(e)))
                    .onErrorResume(LimiterBackendException.class, e -> Mono.just(Optional.of(e)))
                    .flatMap(rejection ->
                            rejection.map(e -> responses.write(e, exchange)).orElse(handled));
        }
    }

    /**
     * @param name of this filter; limits of filters with one name are applied once
     */
    public HttpLimitWebFilter(Shared shared, String name, int order, HttpRules rules) {
        this.shared = shared;
        this.order = order;
        this.rules = rules;
        this.done = HttpLimitWebFilter.class.getName() + "." + name;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        // Begins to record, also if no limit of this filter applies.
        ExchangeDecisions.of(exchange, shared.responses.headers());
        // Filters before this one may have changed the exchange.
        Mono<Void> handled = handled(exchange, chain);
        if (rules.isEmpty() || isOfOther(exchange)) {
            return handled;
        }
        ExchangeKeyRequest keyRequest = shared.keyRequest(exchange);
        HttpRules matching = rules.matching(keyRequest);
        if (matching.isEmpty() || exchange.getAttributes().putIfAbsent(done, true) != null) {
            return handled;
        }
        if (!matching.usesForm()) {
            return shared.limit(exchange, keyRequest, matching, handled);
        }
        return FormExchange.read(exchange)
                .flatMap(read -> shared.limit(read, shared.keyRequest(read), matching, handled(read, chain)));
    }

    private static Mono<Void> handled(ServerWebExchange exchange, WebFilterChain chain) {
        return chain.filter(exchange).contextWrite(context -> ExchangeSubscriptions.put(context, exchange));
    }

    private boolean isOfOther(ServerWebExchange exchange) {
        ApplicationContext handling = exchange.getApplicationContext();
        return handling != null && handling != shared.application;
    }

    /**
     * Leaves the thread that completed the decision, because other decisions wait for it. On the event loop of the exchange no
     * other thread has to be woken for the response.
     */
    private static Mono<Optional<RuntimeException>> rejection(Check check) {
        CompletableFuture<CheckResult> running = check.runAsync();
        Mono<Optional<RuntimeException>> checked = Mono.fromFuture(running)
                .map(result -> Optional.ofNullable(result.rejection()).map(Rejection::exception));
        if (running.isDone()) {
            return checked;
        }
        return checked.publishOn(CurrentEventLoop.orElse(CallThreads::execute));
    }
}
