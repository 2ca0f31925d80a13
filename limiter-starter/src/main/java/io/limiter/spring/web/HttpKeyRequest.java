package io.limiter.spring.web;

import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.KeyRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** What servlet requests and exchanges have in common. */
public abstract class HttpKeyRequest implements KeyRequest {

    private final ClientAddress addresses;
    private final @Nullable CurrentUser users;

    /**
     * @param addresses finds the address of the current request
     * @param users finds the user of the current request; {@code null} if the application has no users
     */
    protected HttpKeyRequest(ClientAddress addresses, @Nullable CurrentUser users) {
        this.addresses = addresses;
        this.users = users;
    }

    /** The path within the application as the caller wrote it. */
    protected abstract PathContainer written();

    /** The query, not decoded; {@code null} if there is none. */
    protected abstract @Nullable String query();

    /**
     * The paths by which handlers may be found. Controllers match the path as the caller wrote it; static files and servlets
     * match it normalized.
     */
    public final List<PathContainer> pathVariants() {
        return CleanPath.variants(written(), path());
    }

    @Override
    public final @Nullable String param(String name) {
        return QueryParameters.first(query(), name);
    }

    @Override
    public final String ip() {
        return addresses.address();
    }

    @Override
    public final @Nullable String user() {
        return users == null ? null : users.name();
    }
}
