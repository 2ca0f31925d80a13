package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The decisions of the requests for one key, or the failure that prevented them. */
public final class Answer {

    private final List<Decision> decisions;
    private final @Nullable LimiterBackendException failure;

    private Answer(List<Decision> decisions, @Nullable LimiterBackendException failure) {
        this.decisions = decisions;
        this.failure = failure;
    }

    public static Answer of(List<Decision> decisions) {
        return new Answer(decisions, null);
    }

    public static Answer failed(LimiterBackendException failure) {
        return new Answer(List.of(), failure);
    }

    /** Why there are no decisions; {@code null} if there are some. */
    public @Nullable LimiterBackendException failure() {
        return failure;
    }

    /**
     * The decisions, in the order of the requests.
     *
     * @throws LimiterBackendException if there are none
     */
    public List<Decision> decisions() {
        if (failure != null) {
            throw failure;
        }
        return decisions;
    }
}
