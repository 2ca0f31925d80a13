package io.limiter.spring.check;

import io.limiter.Decision;
import io.limiter.RateLimitExceededException;
import java.util.List;

/** Thrown when an internal limit is exceeded, such as one of outgoing calls. HTTP callers get a 503, because they are not at fault. */
public final class InternalLimitExceededException extends RateLimitExceededException {

    private static final long serialVersionUID = 1L;

    public InternalLimitExceededException(String limiter, List<String> keys, Decision decision, String message) {
        super(limiter, keys, decision, message);
    }
}
