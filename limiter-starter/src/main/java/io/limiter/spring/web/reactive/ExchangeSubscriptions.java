package io.limiter.spring.web.reactive;

import io.limiter.spring.aop.SubscriptionContext;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** Subscriptions belong to the exchange in Reactor's context, where {@link LimitAnswerWebFilter} puts it. */
public final class ExchangeSubscriptions implements SubscriptionContext {

    private final ExchangeUsers users;

    public ExchangeSubscriptions(ExchangeUsers users) {
        this.users = users;
    }

    static Context put(Context context, ServerWebExchange exchange) {
        return context.put(ServerWebExchangeContextFilter.EXCHANGE_CONTEXT_ATTRIBUTE, exchange);
    }

    @Override
    public <T> Mono<T> call(ContextView context, boolean user, Supplier<T> action) {
        return call(ServerWebExchangeContextFilter.getExchange(context).orElse(null), user, action);
    }

    <T> Mono<T> call(@Nullable ServerWebExchange exchange, boolean user, Supplier<T> action) {
        if (!user) {
            return Mono.fromSupplier(() -> CurrentExchange.call(exchange, null, action));
        }
        return users.of(exchange)
                .map(Optional::of)
                .defaultIfEmpty(Optional.empty())
                .map(name -> CurrentExchange.call(exchange, name.orElse(null), action));
    }
}
