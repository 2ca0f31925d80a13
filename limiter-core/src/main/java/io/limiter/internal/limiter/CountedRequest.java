package io.limiter.internal.limiter;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.PendingRequest;
import org.jspecify.annotations.Nullable;

/** A pending request that counts its decision itself, because a stage for that would cost as much again. */
final class CountedRequest extends PendingRequest {

    private final BoundLimit<?> bound;
    private final @Nullable String countedKey;

    /**
     * @param countedKey the key in statistics; {@code null} for the limiter's own permits
     */
    CountedRequest(
            BoundLimit<?> bound,
            @Nullable String countedKey,
            String backendKey,
            Limit<?> limit,
            Request request,
            @Nullable Fallback<Decision> fallback) {
        super(backendKey, limit, request, fallback);
        this.bound = bound;
        this.countedKey = countedKey;
    }

    @Override
    public boolean answer(Decision decision) {
        boolean first = super.answer(decision);
        if (first) {
            bound.counters().decided(bound.name(), countedKey, decision);
        }
        return first;
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        boolean first = super.completeExceptionally(error);
        if (first && AsyncFailures.cause(error) instanceof LimiterBackendException) {
            bound.counters().failed();
        }
        return first;
    }
}
