package io.limiter.spring.internal.web.reactive;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Finds the user of an exchange. */
@FunctionalInterface
public interface ExchangeUsers {

    /** The authenticated user, or nothing if the caller is anonymous. */
    Mono<Principal> of(@Nullable ServerWebExchange exchange);

    /** The exchange's principal. */
    static ExchangeUsers principals() {
        return exchange -> exchange == null ? Mono.empty() : exchange.getPrincipal();
    }
}
