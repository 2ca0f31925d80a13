package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.internal.key.address.Sender;
import io.limiter.spring.internal.web.CleanPath;
import io.limiter.spring.internal.web.HttpKeyRequest;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpCookie;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;

/** An exchange, as keys use it. */
final class ExchangeKeyRequest extends HttpKeyRequest {

    private final ServerWebExchange exchange;
    private final ServerHttpRequest request;
    private final UnaryOperator<@Nullable String> form;

    /** @param form the first value of a parameter of the form that was read; {@code null} if there is none */
    ExchangeKeyRequest(
            ServerWebExchange exchange,
            ClientAddress addresses,
            @Nullable CurrentUser users,
            UnaryOperator<@Nullable String> form) {
        super(addresses, users);
        this.exchange = exchange;
        this.request = exchange.getRequest();
        this.form = form;
    }

    @Override
    protected @Nullable String ofForm(String name) {
        return form.apply(name);
    }

    @Override
    protected PathContainer written() {
        return request.getPath().pathWithinApplication();
    }

    @Override
    public String method() {
        return request.getMethod().name();
    }

    @Override
    public String path() {
        return CleanPath.of(written());
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeaders().getFirst(name);
    }

    @Override
    public @Nullable String cookie(String name) {
        HttpCookie cookie = request.getCookies().getFirst(name);
        return cookie == null ? null : cookie.getValue();
    }

    @Override
    protected @Nullable Sender sender() {
        return SenderWebFilter.sender(exchange);
    }

    @Override
    protected boolean isPreflight() {
        return CorsUtils.isPreFlightRequest(request);
    }

    @Override
    protected @Nullable String query() {
        return request.getURI().getRawQuery();
    }
}
