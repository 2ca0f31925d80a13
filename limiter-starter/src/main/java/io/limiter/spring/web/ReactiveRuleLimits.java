package io.limiter.spring.web;

import java.util.List;
import reactor.core.publisher.Mono;

/**
 * What is left of the limits of a rule for the caller of an exchange, for a page that shows customers their quota. A bean of WebFlux
 * applications; those with servlets have {@link RuleLimits}. Safe for use by many threads.
 */
public interface ReactiveRuleLimits {

    /**
     * Returns what is left of each limit of a rule, as {@link RuleLimits#peek} does, for the exchange in Reactor's context, where this
     * library puts it. It takes nothing and blocks no thread.
     *
     * <p>The {@code Mono} fails where that method throws, and with an {@link IllegalStateException} if it is subscribed to outside of an
     * exchange.
     *
     * @param rule its key under {@code limiter.http}, such as {@code api} for {@code limiter.http.api.path}
     */
    Mono<List<RuleLimits.Left>> peek(String rule);
}
