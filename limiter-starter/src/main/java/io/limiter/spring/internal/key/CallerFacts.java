package io.limiter.spring.internal.key;

import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.MissingLimitKeyException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * What the current thread knows of the caller of a limited method: the address, the user, and the request if there is one. Safe for use
 * by many threads.
 */
public final class CallerFacts implements KeyRequest {

    // Looking a bean up takes over a microsecond, twenty times as long as the rest of a key.
    private final Supplier<@Nullable ClientAddress> address;
    private final Supplier<@Nullable CurrentUser> user;
    private final Supplier<@Nullable CurrentKeyRequest> request;

    /** The suppliers are called when a fact is first needed, until they return a bean. */
    public CallerFacts(
            Supplier<@Nullable ClientAddress> address,
            Supplier<@Nullable CurrentUser> user,
            Supplier<@Nullable CurrentKeyRequest> request) {
        this.address = new LazyLookup<>(address);
        this.user = new LazyLookup<>(user);
        this.request = new LazyLookup<>(request);
    }

    /** Whether the application has a bean that finds addresses. */
    public boolean hasAddress() {
        return address.get() != null;
    }

    /** Whether the application has a bean that finds users. */
    public boolean hasUser() {
        return user.get() != null;
    }

    /** Whether the application has a bean that finds requests. */
    public boolean hasRequest() {
        return request.get() != null;
    }

    @Override
    public String ip() {
        ClientAddress source = address.get();
        if (source == null) {
            throw new MissingLimitKeyException("there is no request that has the caller's IP");
        }
        String found = source.address();
        if (!StringUtils.hasText(found)) {
            throw new MissingLimitKeyException("the caller's IP is null or blank");
        }
        return found;
    }

    @Override
    public @Nullable String user() {
        CurrentUser source = user.get();
        return source == null ? null : source.name();
    }

    @Override
    public @Nullable String claim(String name) {
        CurrentUser source = user.get();
        return source == null ? null : source.claim(name);
    }

    @Override
    public String method() {
        return request("a method").method();
    }

    @Override
    public String path() {
        return request("a path").path();
    }

    @Override
    public @Nullable String header(String name) {
        return request("the header " + name).header(name);
    }

    @Override
    public @Nullable String cookie(String name) {
        return request("the cookie " + name).cookie(name);
    }

    @Override
    public @Nullable String param(String name) {
        return request("the parameter " + name).param(name);
    }

    private KeyRequest request(String what) {
        CurrentKeyRequest source = request.get();
        KeyRequest current = source == null ? null : source.get();
        if (current == null) {
            throw new MissingLimitKeyException("there is no request that has " + what
                    + ": call the limited method in the thread of a request, and in WebFlux let it return a Mono or Flux,"
                    + " or put the limit on the handler method, which may also return a future");
        }
        return current;
    }
}
