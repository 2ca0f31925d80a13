package io.limiter.spring.internal.web;

import io.limiter.spring.internal.key.address.Sender;
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

    /** Who has sent it, whatever filters have changed since; {@code null} if that is unknown. */
    protected abstract @Nullable Sender sender();

    /** Whether it is a CORS preflight. */
    protected abstract boolean isPreflight();

    /** The query, not decoded; {@code null} if there is none. */
    protected abstract @Nullable String query();

    /**
     * The paths by which handlers may be found. Controllers match the path as the caller wrote it; static files and servlets
     * match it normalized.
     */
    final List<PathContainer> pathVariants() {
        return CleanPath.variants(written(), path());
    }

    /** The first value of a form's parameter; {@code null} if there is none, or no form that can be read ahead of its handler. */
    protected abstract @Nullable String ofForm(String name);

    @Override
    public final @Nullable String param(String name) {
        String query = query();
        String ofQuery = query == null ? null : FormBody.first(query, name);
        String ofForm = ofForm(name);
        if (ofQuery == null || ofForm == null) {
            return ofQuery == null ? ofForm : ofQuery;
        }
        // Some handlers read one of them, and some the other, so a caller could have the key of another user.
        return ofQuery.equals(ofForm) ? ofForm : null;
    }

    @Override
    public final String ip() {
        return addresses.address();
    }

    @Override
    public final @Nullable String user() {
        return users == null ? null : users.name();
    }

    @Override
    public final @Nullable String claim(String name) {
        return users == null ? null : users.claim(name);
    }
}
