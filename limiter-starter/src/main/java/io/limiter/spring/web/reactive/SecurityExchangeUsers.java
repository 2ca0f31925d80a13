package io.limiter.spring.web.reactive;

import io.limiter.spring.key.SecurityPrincipals;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** The user that Spring Security has authenticated, from Reactor's context, or else that of the exchange. */
public final class SecurityExchangeUsers implements ExchangeUsers {

    @Override
    public Mono<Principal> of(@Nullable ServerWebExchange exchange) {
        return ReactiveSecurityContextHolder.getContext()
                .mapNotNull(SecurityContext::getAuthentication)
                .filter(SecurityPrincipals::isKnown)
                .<Principal>cast(Principal.class)
                .switchIfEmpty(Mono.defer(() -> ofExchange(exchange)));
    }

    private static Mono<Principal> ofExchange(@Nullable ServerWebExchange exchange) {
        return exchange == null ? Mono.empty() : exchange.getPrincipal().filter(SecurityPrincipals::isKnown);
    }
}
