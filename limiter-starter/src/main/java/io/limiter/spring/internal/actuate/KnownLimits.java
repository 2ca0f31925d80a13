package io.limiter.spring.internal.actuate;

import org.jspecify.annotations.Nullable;

/** What the application knows of its limits and a limiter factory does not. */
@FunctionalInterface
public interface KnownLimits {

    /**
     * Where a limit is defined, without live limits: {@code annotation}, or the prefix of its settings.
     *
     * @param prefix starts the limit's keys in Redis
     * @param name the limit's
     * @return {@code null} if it is unknown
     */
    @Nullable
    String definedBy(String prefix, String name);
}
