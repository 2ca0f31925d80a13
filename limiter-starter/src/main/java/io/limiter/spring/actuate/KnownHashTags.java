package io.limiter.spring.actuate;

import org.jspecify.annotations.Nullable;

/** Finds the hash tag of permits whose key alone does not decide it; see {@link io.limiter.HashTag#FIRST_KEY}. */
@FunctionalInterface
public interface KnownHashTags {

    /**
     * The hash tag; {@code null} if the key decides it, or if the limit is unknown.
     *
     * @param prefix starts the limit's keys in Redis
     * @param name the limit's
     * @param key {@code null} for the limit's own permits
     */
    @Nullable
    String hashTag(String prefix, String name, @Nullable String key);
}
