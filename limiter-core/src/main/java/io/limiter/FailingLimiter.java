package io.limiter;

import java.time.Instant;

/**
 * A limiter that fails permanently, for all or some of its keys, so that its {@link FailurePolicy} decides.
 *
 * @param limiter prefix and name
 * @param since the first failure
 * @param failure the last failure, with a remedy in its message
 */
public record FailingLimiter(String limiter, Instant since, LimiterBackendException failure) {}
