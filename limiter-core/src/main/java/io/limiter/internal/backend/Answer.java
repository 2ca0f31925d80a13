package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of the requests for one key, or the failure that prevented them.
 *
 * @param decisions in the order of the requests
 * @param failure {@code null} if there are decisions
 */
public record Answer(List<Decision> decisions, @Nullable LimiterBackendException failure) {

    public static Answer of(List<Decision> decisions) {
        return new Answer(decisions, null);
    }

    public static Answer failed(LimiterBackendException failure) {
        return new Answer(List.of(), failure);
    }

    /**
     * @throws LimiterBackendException if there are none
     */
    @Override
    public List<Decision> decisions() {
        if (failure != null) {
            throw failure;
        }
        return decisions;
    }
}
