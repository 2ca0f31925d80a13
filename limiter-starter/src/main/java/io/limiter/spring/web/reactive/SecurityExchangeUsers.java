package io.limiter.spring.web.reactive;

import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** The user whom Spring Security has authenticated, by Reactor's context, or if it knows none, the exchange's. */
public final class SecurityExchangeUsers implements ExchangeUsers {

    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();
    private final ExchangeUsers otherwise = ExchangeUsers.principals();

    @Override
    public Mono<String> of(@Nullable ServerWebExchange exchange) {
        return ReactiveSecurityContextHolder.getContext()
                .mapNotNull(SecurityContext::getAuthentication)
                .filter(authentication -> authentication.isAuthenticated() && !trust.isAnonymous(authentication))
                .map(Authentication::getName)
                .switchIfEmpty(Mono.defer(() -> otherwise.of(exchange)));
    }
}
