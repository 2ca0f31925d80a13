package io.limiter.internal.limiter;

import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.SetReservation;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.backend.AsyncFailures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A {@link SetReservation} on an engine.
 *
 * @param size the number of limits of the set
 */
record EngineSetReservation(SetDecision decision, int size, List<Reservation> parts) implements SetReservation {

    @Override
    public boolean cancel() {
        return AsyncFailures.join(cancelAsync());
    }

    @Override
    public CompletableFuture<Boolean> cancelAsync() {
        return start(new long[size]);
    }

    @Override
    public boolean settle(long... actual) {
        return AsyncFailures.join(settleAsync(actual));
    }

    @Override
    public CompletableFuture<Boolean> settleAsync(long... actual) {
        if (Objects.requireNonNull(actual, "actual").length != size) {
            throw new IllegalArgumentException("actual must be one number for each of " + size + " limits, were "
                    + actual.length + ": " + Arrays.toString(actual));
        }
        // All of them first: a number out of range settles nothing.
        Arrays.stream(actual).forEach(Ranges::actual);
        return start(actual.clone());
    }

    /** Settles all parts at the same time, so that they share calls. */
    private CompletableFuture<Boolean> start(long[] actual) {
        List<CompletableFuture<Boolean>> settled = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            settled.add(parts.get(i).settleAsync(actual[i]));
        }
        return AsyncFailures.map(
                CompletableFuture.allOf(settled.toArray(CompletableFuture[]::new)),
                done -> isGranted() && settled.stream().allMatch(CompletableFuture::join));
    }
}
