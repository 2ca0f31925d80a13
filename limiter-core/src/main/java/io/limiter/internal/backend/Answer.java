package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of the requests for one key, or of the parts of a set, or the failure that prevented them.
 *
 * @param decisions in the order of the requests, or of the parts
 * @param failure {@code null} if there are decisions
 */
public record Answer(List<Decision> decisions, @Nullable LimiterBackendException failure) {

    public static Answer of(List<Decision> decisions) {
        return new Answer(decisions, null);
    }

    public static Answer failed(LimiterBackendException failure) {
        return new Answer(List.of(), failure);
    }

    /** The answer of a set, from those of its parts, of which all have failed or none has. */
    public static Answer ofSet(List<Answer> parts) {
        if (parts.get(0).failure() != null) {
            return parts.get(0);
        }
        List<Decision> decisions = new ArrayList<>(parts.size());
        for (Answer part : parts) {
            decisions.add(part.decisions().get(0));
        }
        return of(decisions);
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
