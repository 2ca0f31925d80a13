package io.limiter.spring.internal.key.spel;

import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.MissingLimitKeyException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request whose facts are entries such as {@code header X-Key}. */
record TestRequest(@Nullable String user, Map<String, String> values) implements KeyRequest {

    static final String NO_ADDRESS = "no address";

    /** One that has nothing but an address. */
    static final TestRequest EMPTY = new TestRequest(null, Map.of());

    @Override
    public String method() {
        return "GET";
    }

    @Override
    public String path() {
        return values.getOrDefault("path", "/a/b");
    }

    @Override
    public @Nullable String header(String name) {
        return values.get("header " + name);
    }

    @Override
    public @Nullable String cookie(String name) {
        return values.get("cookie " + name);
    }

    @Override
    public @Nullable String param(String name) {
        return values.get("param " + name);
    }

    @Override
    public @Nullable String claim(String name) {
        return values.get("claim " + name);
    }

    @Override
    public String ip() {
        if (values.containsKey(NO_ADDRESS)) {
            throw new MissingLimitKeyException("the request has no remote address");
        }
        return "1.2.3.4";
    }
}
