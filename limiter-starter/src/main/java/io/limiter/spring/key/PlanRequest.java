package io.limiter.spring.key;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of a limited method, or an HTTP request that a rule limits, whose plan is to be found.
 *
 * @param limit the name of the limit
 * @param key of the permits
 * @param method the limited method; {@code null} for a request
 * @param arguments of the call, unmodifiable; each may be null; empty for a request
 * @param request {@code null} for a call of a method
 */
public record PlanRequest(
        String limit,
        String key,
        @Nullable Method method,
        List<@Nullable Object> arguments,
        @Nullable KeyRequest request) {}
