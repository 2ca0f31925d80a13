package io.limiter.spring.internal.check;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The permits that one call takes from one limit. Two that are equal take the same permits.
 *
 * @param keys of the key path, the outermost first; none if all callers share the permits
 * @param permits at least 1
 */
public record PermitRequest(LimitName limit, List<String> keys, long permits) {

    /** The innermost key, which is that of the caller; {@code null} if all callers share the permits. */
    public @Nullable String key() {
        return keys.isEmpty() ? null : keys.get(keys.size() - 1);
    }

    /** Equal for those that take of the same permits, perhaps another number of them. */
    Object permitsId() {
        return List.of(limit.prefix(), limit.name(), keys);
    }
}
