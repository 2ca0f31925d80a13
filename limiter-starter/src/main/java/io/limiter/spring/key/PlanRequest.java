package io.limiter.spring.key;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call of a limited method, or an HTTP request that a rule limits, whose plan is to be found.
 */
public final class PlanRequest {

    private final String limit;
    private final String key;
    private final @Nullable Method method;
    private final List<@Nullable Object> arguments;
    private final @Nullable KeyRequest request;

    private PlanRequest(
            String limit,
            String key,
            @Nullable Method method,
            List<@Nullable Object> arguments,
            @Nullable KeyRequest request) {
        this.limit = Objects.requireNonNull(limit, "limit");
        this.key = Objects.requireNonNull(key, "key");
        this.method = method;
        this.arguments = Objects.requireNonNull(arguments, "arguments");
        this.request = request;
    }

    /** A call of a limited method. */
    public static PlanRequest ofCall(String limit, String key, Method method, List<@Nullable Object> arguments) {
        return new PlanRequest(limit, key, Objects.requireNonNull(method, "method"), arguments, null);
    }

    /** An HTTP request that a rule limits. */
    public static PlanRequest ofRequest(String limit, String key, KeyRequest request) {
        return new PlanRequest(limit, key, null, List.of(), Objects.requireNonNull(request, "request"));
    }

    /** The name of the limit. */
    public String limit() {
        return limit;
    }

    /** The key of the permits. */
    public String key() {
        return key;
    }

    /** The limited method, or {@code null} for a request. */
    public @Nullable Method method() {
        return method;
    }

    /** The arguments of the call, of which each may be null. Unmodifiable, and empty for a request. */
    public List<@Nullable Object> arguments() {
        return arguments;
    }

    /** The request, or {@code null} for a call of a method. */
    public @Nullable KeyRequest request() {
        return request;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PlanRequest that
                && limit.equals(that.limit)
                && key.equals(that.key)
                && Objects.equals(method, that.method)
                && arguments.equals(that.arguments)
                && Objects.equals(request, that.request);
    }

    @Override
    public int hashCode() {
        return Objects.hash(limit, key, method, arguments, request);
    }

    @Override
    public String toString() {
        return "PlanRequest[limit=" + limit + ", key=" + key + ", method=" + method + ", arguments=" + arguments
                + ", request=" + request + "]";
    }
}
