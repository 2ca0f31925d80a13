package io.limiter;

import java.time.Instant;

/**
 * A limiter whose {@link FailurePolicy} decides, for all of its keys or for some, until somebody does something.
 *
 * @param limiter its prefix and its name
 * @param since when that began
 * @param failure the last failure; it says what to do
 */
public record FailingLimiter(String limiter, Instant since, LimiterBackendException failure) {}
