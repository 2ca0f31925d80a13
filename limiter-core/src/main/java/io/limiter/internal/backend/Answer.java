package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.step.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts on the requests for one key, or of the parts of a set, or the failure that prevented them.
 *
 * @param verdicts in the order of the requests, or of the parts
 * @param failure {@code null} if there are verdicts
 */
public record Answer(List<Verdict> verdicts, @Nullable LimiterBackendException failure) {

    public static Answer of(List<Verdict> verdicts) {
        return new Answer(verdicts, null);
    }

    public static Answer failed(LimiterBackendException failure) {
        return new Answer(List.of(), failure);
    }

    /** The answer of a set, from those of its parts, of which all have failed or none has. */
    public static Answer ofSet(List<Answer> parts) {
        if (parts.get(0).failure() != null) {
            return parts.get(0);
        }
        List<Verdict> verdicts = new ArrayList<>(parts.size());
        for (Answer part : parts) {
            verdicts.add(part.verdicts().get(0));
        }
        return of(verdicts);
    }

    /**
     * @throws LimiterBackendException if there are none
     */
    @Override
    public List<Verdict> verdicts() {
        if (failure != null) {
            throw failure;
        }
        return verdicts;
    }
}
