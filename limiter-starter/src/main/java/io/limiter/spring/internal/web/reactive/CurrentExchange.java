package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.internal.key.address.CallerAddress;
import io.limiter.spring.internal.web.HttpKeyRequest;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;

/**
 * The exchange and the user of the call that the current thread finds keys for.
 * {@link io.limiter.spring.key.ClientAddress} and {@link io.limiter.spring.key.CurrentUser} beans can use them.
 */
public final class CurrentExchange {

    private static final ThreadLocal<@Nullable Bound> BOUND = new ThreadLocal<>();

    private record Bound(
            @Nullable ServerWebExchange exchange, @Nullable Principal user, UnaryOperator<@Nullable String> form) {}

    private CurrentExchange() {}

    /** {@code null} if there is none. */
    public static @Nullable ServerWebExchange get() {
        Bound bound = BOUND.get();
        return bound == null ? null : bound.exchange();
    }

    /** The request of the exchange as keys of limited methods use it; {@code null} if there is none. */
    public static @Nullable HttpKeyRequest facts(ClientAddress addresses, @Nullable CurrentUser users) {
        Bound bound = BOUND.get();
        ServerWebExchange exchange = bound == null ? null : bound.exchange();
        return exchange == null ? null : new ExchangeKeyRequest(exchange, addresses, users, bound.form());
    }

    /** The authenticated user, also of a call without an exchange; {@code null} if the caller is anonymous. */
    public static @Nullable Principal user() {
        Bound bound = BOUND.get();
        return bound == null ? null : bound.user();
    }

    /**
     * The address of the exchange as a key.
     *
     * @throws MissingLimitKeyException if there is no exchange, or its address is unknown
     */
    public static String address(CallerAddress addresses) {
        ServerWebExchange exchange = get();
        if (exchange == null) {
            throw new MissingLimitKeyException("there is no exchange that has the caller's IP: limit by IP only"
                    + " handler methods that return a Mono, a Flux or a future, and other methods that return a Mono or"
                    + " Flux, which is subscribed to while an exchange is handled");
        }
        HttpHeaders headers = exchange.getRequest().getHeaders();
        return addresses.of(remote(exchange.getRequest().getRemoteAddress()), name -> lines(headers, name));
    }

    static @Nullable String remote(@Nullable InetSocketAddress address) {
        if (address == null) {
            return null;
        }
        // Spring's ForwardedHeaderTransformer does not even resolve IP addresses.
        return address.getAddress() == null
                ? address.getHostString()
                : address.getAddress().getHostAddress();
    }

    /** HttpHeaders.get is another method in Spring 7. */
    static List<String> lines(HttpHeaders headers, String name) {
        List<String> lines = new ArrayList<>();
        headers.forEach((header, values) -> {
            if (header.equalsIgnoreCase(name)) {
                lines.addAll(values);
            }
        });
        return lines;
    }

    /** HttpHeaders is no map in Spring 7. */
    static List<String> names(HttpHeaders headers) {
        List<String> names = new ArrayList<>();
        headers.forEach((header, values) -> names.add(header));
        return names;
    }

    /** @param form see {@link FormExchange#form} */
    static <T> T call(
            @Nullable ServerWebExchange exchange,
            @Nullable Principal user,
            UnaryOperator<@Nullable String> form,
            Supplier<T> action) {
        if (exchange == null && user == null) {
            return action.get();
        }
        Bound before = BOUND.get();
        BOUND.set(new Bound(exchange, user, form));
        try {
            return action.get();
        } finally {
            BOUND.set(before);
        }
    }
}
