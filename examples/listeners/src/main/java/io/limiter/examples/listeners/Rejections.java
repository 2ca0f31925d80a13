package io.limiter.examples.listeners;

import io.limiter.RateLimitExceededException;
import java.time.Duration;
import java.util.Optional;
import org.springframework.core.NestedExceptionUtils;

final class Rejections {

    private Rejections() {}

    // listeners: retry-after
    static Optional<Duration> retryAfter(Throwable failure) {
        return NestedExceptionUtils.getMostSpecificCause(failure) instanceof RateLimitExceededException rejection
                ? rejection.decision().retryAfter()
                : Optional.empty();
    }
    // end
}
