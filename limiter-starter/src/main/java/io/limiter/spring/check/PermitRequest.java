package io.limiter.spring.check;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The permits that one call takes from one limit. Two that are equal take the same permits.
 *
 * @param key {@code null} if all callers share the permits
 * @param hashTag the hash tag of the permits in a Redis Cluster; {@code null} if the key decides it
 * @param permits at least 1
 */
public record PermitRequest(
        LimitName limit, @Nullable String key, @Nullable String hashTag, long permits) {

    /** Equal for those that take of the same permits, perhaps another number of them. */
    Object permitsId() {
        return Arrays.asList(limit.prefix(), limit.name(), key, hashTag);
    }
}
