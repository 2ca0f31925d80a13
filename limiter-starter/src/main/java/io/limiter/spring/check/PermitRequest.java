package io.limiter.spring.check;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The permits that one call takes from one limit. Two that are equal take the same permits.
 *
 * @param key {@code null} if all callers share the permits
 * @param hashTag the hash tag of the permits in a Redis Cluster; {@code null} if the key decides it
 * @param permits at least 1
 */
public record PermitRequest(
        LimitName limit, @Nullable String key, @Nullable String hashTag, int permits) {

    /** Whether both take of the same permits, perhaps another number of them. */
    boolean hasSamePermits(PermitRequest other) {
        return limit.prefix().equals(other.limit.prefix())
                && limit.name().equals(other.limit.name())
                && Objects.equals(key, other.key)
                && Objects.equals(hashTag, other.hashTag);
    }
}
