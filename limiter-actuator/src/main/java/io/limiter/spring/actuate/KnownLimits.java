package io.limiter.spring.actuate;

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

    /**
     * The hash tag of permits; {@code null} if the key alone decides it, or if the limit is unknown. See
     * {@link io.limiter.HashTag#FIRST_KEY}.
     *
     * @param prefix starts the limit's keys in Redis
     * @param name the limit's
     * @param key {@code null} for the limit's own permits
     */
    default @Nullable String hashTag(String prefix, String name, @Nullable String key) {
        return null;
    }
}
