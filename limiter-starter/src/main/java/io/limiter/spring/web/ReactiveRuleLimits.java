package io.limiter.spring.web;

import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Tells how much of the limits of a rule the caller of an exchange has left, for a page that shows customers their quota. It is a bean in WebFlux
 * applications. Servlet applications have {@link RuleLimits}. Safe for use by many threads.
 */
public interface ReactiveRuleLimits {

    /**
     * Returns how much of each limit of a rule is left, like {@link RuleLimits#peek}, for the exchange in Reactor's context, where this library puts
     * it. It takes no permits and blocks no thread.
     *
     * <p>The {@code Mono} fails in the cases in which that method throws, and with an {@link IllegalStateException} if it is subscribed to outside of
     * an exchange.
     *
     * @param rule its key under {@code limiter.http}, such as {@code api} for {@code limiter.http.api.path}
     */
    Mono<List<RuleLimits.Left>> peek(String rule);
}
