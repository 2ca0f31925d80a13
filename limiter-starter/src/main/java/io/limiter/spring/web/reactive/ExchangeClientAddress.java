package io.limiter.spring.web.reactive;

import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.key.address.CallerAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;

/** The {@link CallerAddress} of the current exchange. */
public final class ExchangeClientAddress implements ClientAddress {

    private final CallerAddress addresses;

    public ExchangeClientAddress(CallerAddress addresses) {
        this.addresses = addresses;
    }

    @Override
    public String address() {
        ServerWebExchange exchange = CurrentExchange.get();
        if (exchange == null) {
            throw new MissingLimitKeyException("there is no exchange that has the caller's IP: limit by IP only"
                    + " methods that return a Mono or Flux, which is subscribed to while an exchange is handled");
        }
        HttpHeaders headers = exchange.getRequest().getHeaders();
        return addresses.of(remote(exchange.getRequest().getRemoteAddress()), name -> lines(headers, name));
    }

    private static @Nullable String remote(@Nullable InetSocketAddress address) {
        if (address == null) {
            return null;
        }
        // Spring's ForwardedHeaderTransformer does not even resolve IP addresses.
        return address.getAddress() == null
                ? address.getHostString()
                : address.getAddress().getHostAddress();
    }

    /** HttpHeaders.get is another method in Spring 7. */
    private static List<String> lines(HttpHeaders headers, String name) {
        List<String> lines = new ArrayList<>();
        headers.forEach((header, values) -> {
            if (header.equalsIgnoreCase(name)) {
                lines.addAll(values);
            }
        });
        return lines;
    }
}
