package io.limiter;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a factory's backend decides.
 *
 * @param up if not, the {@link FailurePolicy} decides for all limiters
 * @param since when that began; of a backend that was never away, when the factory was built
 * @param failure the last failure that spoke for the backend being away, also while it is up again; {@code null} if there
 *     was none
 * @param failing the limiters for which the backend does not decide although it is up, or not for all of their keys, until
 *     somebody does something; at most 100 by name, and the others as one that is called {@link LimiterTotals#OTHER}
 */
public record BackendState(
        boolean up, Instant since, @Nullable LimiterBackendException failure, List<FailingLimiter> failing) {

    public BackendState {
        failing = List.copyOf(failing);
    }

    /** One in which no limiter fails by itself. */
    public BackendState(boolean up, Instant since, @Nullable LimiterBackendException failure) {
        this(up, since, failure, List.of());
    }

    /** The same with other limiters that fail. */
    public BackendState withFailing(List<FailingLimiter> newFailing) {
        return new BackendState(up, since, failure, newFailing);
    }

    /** {@link #failure()}, if there was one. */
    public Optional<LimiterBackendException> lastFailure() {
        return Optional.ofNullable(failure);
    }
}
