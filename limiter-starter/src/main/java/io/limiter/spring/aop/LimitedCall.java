package io.limiter.spring.aop;

import io.limiter.algorithm.Limit;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call whose limit is to be resolved.
 *
 * @param method the limited method
 * @param arguments of the call, unmodifiable; each may be null
 * @param name the limiter's name
 * @param declared the limit of the annotation and the configuration
 * @param key of the permits; {@code null} if all callers share them
 */
public record LimitedCall(
        Method method,
        List<@Nullable Object> arguments,
        String name,
        Limit<?> declared,
        @Nullable String key) {}
