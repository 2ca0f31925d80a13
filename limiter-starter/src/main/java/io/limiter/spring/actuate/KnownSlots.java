package io.limiter.spring.actuate;

import org.jspecify.annotations.Nullable;

/** Knows limits whose permits are in slots of their own, and in which; see {@link io.limiter.LimitPart#inSlot}. */
@FunctionalInterface
public interface KnownSlots {

    /**
     * The slot of a key's permits; {@code null} if they are in none, or if nothing is known of the limit.
     *
     * @param prefix starts the limit's keys in Redis
     * @param name the limit's
     * @param key {@code null} for the limit's own permits
     */
    @Nullable
    String slot(String prefix, String name, @Nullable String key);
}
