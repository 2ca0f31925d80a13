package io.limiter.spring.key;

import io.limiter.algorithm.Limit;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of a limited method, or an HTTP request that a rule limits, whose limit is to be resolved.
 *
 * @param method the limited method; {@code null} for a request
 * @param arguments of the call, unmodifiable; each may be null; empty for a request
 * @param name the limiter's name
 * @param declared the limit of the annotation or the rule, and the configuration
 * @param key of the permits; {@code null} if all callers share them
 * @param request {@code null} for a call of a method
 */
public record LimitedCall(
        @Nullable Method method,
        List<@Nullable Object> arguments,
        String name,
        Limit<?> declared,
        @Nullable String key,
        @Nullable KeyRequest request) {}
