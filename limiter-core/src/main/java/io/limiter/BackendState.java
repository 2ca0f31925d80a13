package io.limiter;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of a factory's backend.
 *
 * @param up whether the backend decides; otherwise the {@link FailurePolicy} decides for all limiters
 * @param since the start of this state; if the backend was never unavailable, when the factory was built
 * @param failure the last failure that counted against the backend, kept after it has recovered; {@code null} if none
 * @param failing limiters that fail permanently, for all or some of their keys, although the backend is up; at most 100 by
 *     name, the others as one named {@link LimiterTotals#OTHER}
 */
public record BackendState(
        boolean up, Instant since, @Nullable LimiterBackendException failure, List<FailingLimiter> failing) {

    public BackendState {
        failing = List.copyOf(failing);
    }

    /** Without limiters that fail permanently. */
    public BackendState(boolean up, Instant since, @Nullable LimiterBackendException failure) {
        this(up, since, failure, List.of());
    }

    /** This state with other limiters that fail permanently. */
    public BackendState withFailing(List<FailingLimiter> newFailing) {
        return new BackendState(up, since, failure, newFailing);
    }

    /** {@link #failure()}, if there was one. */
    public Optional<LimiterBackendException> lastFailure() {
        return Optional.ofNullable(failure);
    }
}
