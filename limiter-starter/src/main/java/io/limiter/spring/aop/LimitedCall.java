package io.limiter.spring.aop;

import io.limiter.algorithm.Limit;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call whose limit is to be resolved.
 *
 * @param method the limited method
 * @param arguments those of the call, which may be null; not to be changed
 * @param name the limiter's name
 * @param declared what the annotation and configuration say
 * @param key whose permits it takes; {@code null} if all callers share them
 */
public record LimitedCall(
        Method method,
        List<@Nullable Object> arguments,
        String name,
        Limit<?> declared,
        @Nullable String key) {}
