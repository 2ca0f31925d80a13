package io.limiter.spring.actuate;

import org.jspecify.annotations.Nullable;

/** Knows where limits are defined. */
@FunctionalInterface
public interface KnownDefinitions {

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
