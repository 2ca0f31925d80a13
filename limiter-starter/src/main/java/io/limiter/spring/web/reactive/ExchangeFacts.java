package io.limiter.spring.web.reactive;

import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.RequestFacts;
import io.limiter.spring.web.CleanPath;
import io.limiter.spring.web.QueryParameters;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpCookie;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * What the key of an exchange can be made of.
 *
 * @param addresses that of the current exchange
 * @param users that of the current exchange; {@code null} if nobody knows users
 */
record ExchangeFacts(
        ServerHttpRequest request,
        ClientAddress addresses,
        @Nullable CurrentUser users) implements RequestFacts {

    /** The path as the caller wrote it, by which controllers go, and cleaned up, by which static files are found. */
    List<PathContainer> ways() {
        return CleanPath.ways(request.getPath().pathWithinApplication(), path());
    }

    @Override
    public String method() {
        return request.getMethod().name();
    }

    @Override
    public String path() {
        return CleanPath.of(request.getPath().pathWithinApplication());
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
    public @Nullable String param(String name) {
        return QueryParameters.first(request.getURI().getRawQuery(), name);
    }

    @Override
    public String ip() {
        return addresses.address();
    }

    @Override
    public @Nullable String user() {
        return users == null ? null : users.name();
    }
}
