package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.internal.aop.result.SubscriptionContext;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.reactive.config.BlockingExecutionConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.InvocableHandlerMethod;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** Finds the exchange of a subscription in Reactor's context, where {@link RuleWebFilter} puts it. */
public final class ExchangeSubscriptions implements SubscriptionContext {

    private static final String HANDLER = InvocableHandlerMethod.class.getName();
    private static final List<String> PROXIES = List.of(
            ExchangeSubscriptions.class.getName(),
            "io.limiter.spring.internal.aop.",
            "org.springframework.aop.",
            "java.lang.reflect.",
            "jdk.");

    private final ExchangeUsers users;
    private final Supplier<Stream<WebFluxConfigurer>> configurers;

    /** @param configurers of the application; called when it has started */
    public ExchangeSubscriptions(ExchangeUsers users, Supplier<Stream<WebFluxConfigurer>> configurers) {
        this.users = users;
        this.configurers = configurers;
    }

    static Context put(Context context, ServerWebExchange exchange) {
        return context.put(ServerWebExchangeContextFilter.EXCHANGE_CONTEXT_ATTRIBUTE, exchange);
    }

    @Override
    public <T> Mono<T> call(ContextView context, boolean user, boolean form, Supplier<T> action) {
        ServerWebExchange exchange =
                ServerWebExchangeContextFilter.getExchange(context).orElse(null);
        return form && exchange != null
                ? FormExchange.form(exchange).flatMap(known -> call(exchange, user, known, action))
                : call(exchange, user, FormExchange.NONE, action);
    }

    /** Nothing passes the exchange on to the method, and another caller of it would never handle its result so. */
    @Override
    public boolean knowsRequestLater() {
        return HANDLER.equals(StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                        .filter(name ->
                                PROXIES.stream().noneMatch(name::startsWith) && !name.contains("$$SpringCGLIB$$"))
                        .findFirst()
                        .orElse("")));
    }

    @Override
    public boolean plainHandlersMayWait() {
        Blocking blocking = new Blocking();
        configurers.get().forEach(configurer -> configurer.configureBlockingExecution(blocking));
        return blocking.getExecutor() != null;
    }

    /** @param form see {@link FormExchange#form} */
    <T> Mono<T> call(
            @Nullable ServerWebExchange exchange,
            boolean user,
            UnaryOperator<@Nullable String> form,
            Supplier<T> action) {
        if (!user) {
            return Mono.fromSupplier(() -> CurrentExchange.call(exchange, null, form, action));
        }
        return users.of(exchange)
                .singleOptional()
                .map(known -> CurrentExchange.call(exchange, known.orElse(null), form, action));
    }

    /** Gives access to the executor. */
    private static final class Blocking extends BlockingExecutionConfigurer {

        @Override
        protected @Nullable AsyncTaskExecutor getExecutor() {
            return super.getExecutor();
        }
    }
}
