package io.limiter;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a factory's backend decides.
 *
 * @param up if not, the {@link FailurePolicy} decides
 * @param since when that began; of a backend that was never away, when the factory was built
 * @param failure the last failure that spoke for the backend being away, also while it is up again; {@code null} if there
 *     was none
 */
public record BackendState(
        boolean up, Instant since, @Nullable LimiterBackendException failure) {

    /** {@link #failure()}, if there was one. */
    public Optional<LimiterBackendException> lastFailure() {
        return Optional.ofNullable(failure);
    }
}
