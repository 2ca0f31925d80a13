package io.limiter.spring.actuate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All limits.
 *
 * @param redis how long calls to Redis took, in milliseconds
 * @param sizes {@code null} if the factory does not tell
 */
public record LimitersDescription(
        List<LimitDescription> limits,
        CallTimes.Summary redis,
        @Nullable Sizes sizes) {}
