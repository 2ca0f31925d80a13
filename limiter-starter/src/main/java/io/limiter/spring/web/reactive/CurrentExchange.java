package io.limiter.spring.web.reactive;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;

/**
 * The exchange and the user of the call that the current thread finds keys for.
 * {@link io.limiter.spring.key.ClientAddress} and {@link io.limiter.spring.key.CurrentUser} beans can use them.
 */
public final class CurrentExchange {

    private static final ThreadLocal<@Nullable Bound> BOUND = new ThreadLocal<>();

    private record Bound(
            @Nullable ServerWebExchange exchange, @Nullable String user) {}

    private CurrentExchange() {}

    /** {@code null} if there is none. */
    public static @Nullable ServerWebExchange get() {
        Bound bound = BOUND.get();
        return bound == null ? null : bound.exchange();
    }

    /** The name of the authenticated user, also of a call without an exchange; {@code null} if the caller is anonymous. */
    public static @Nullable String user() {
        Bound bound = BOUND.get();
        return bound == null ? null : bound.user();
    }

    static <T> T call(@Nullable ServerWebExchange exchange, @Nullable String user, Supplier<T> action) {
        if (exchange == null && user == null) {
            return action.get();
        }
        Bound before = BOUND.get();
        BOUND.set(new Bound(exchange, user));
        try {
            return action.get();
        } finally {
            if (before == null) {
                BOUND.remove();
            } else {
                BOUND.set(before);
            }
        }
    }
}
