package io.limiter.spring.web.reactive;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** The user that Spring Security has authenticated, from Reactor's context, or else that of the exchange. */
public final class SecurityExchangeUsers implements ExchangeUsers {

    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

    @Override
    public Mono<String> of(@Nullable ServerWebExchange exchange) {
        return ReactiveSecurityContextHolder.getContext()
                .mapNotNull(SecurityContext::getAuthentication)
                .filter(this::isKnown)
                .mapNotNull(Principal::getName)
                .switchIfEmpty(Mono.defer(() -> ofExchange(exchange)));
    }

    /** Spring Security puts anonymous users into the exchange, too. */
    private Mono<String> ofExchange(@Nullable ServerWebExchange exchange) {
        return exchange == null
                ? Mono.empty()
                : exchange.getPrincipal().filter(this::isKnown).mapNotNull(Principal::getName);
    }

    private boolean isKnown(Principal principal) {
        return !(principal instanceof Authentication authentication)
                || authentication.isAuthenticated() && !trust.isAnonymous(authentication);
    }
}
