package io.limiter.internal.step;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import io.limiter.algorithm.TokenBucket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of several requests for one key at one moment. Equal to {@link Limit#step} one after the other, but grants of a
 * plain token bucket allocate nothing but their decision. Not safe for use by multiple threads.
 *
 * @param <S> the type of the limit's state
 */
public final class Steps<S> {

    private final Limit<S> limit;
    private final long nowMicros;
    private @Nullable S state;
    private int steps;
    // Instead of the state from the second request on, as long as it can decide.
    private @Nullable InPlaceBucket bucket;
    private boolean isBucketChanged;

    /**
     * @param state before the first request; {@code null} if there is none
     * @param nowMicros as in {@link Limit#step}
     */
    public Steps(Limit<S> limit, @Nullable S state, long nowMicros) {
        this.limit = limit;
        this.nowMicros = nowMicros;
        this.state = state;
    }

    /** The decisions of the next requests, in their order. */
    public List<Decision> next(List<Request> requests) {
        if (requests.size() == 1) {
            return List.of(next(requests.get(0)));
        }
        List<Decision> decisions = new ArrayList<>(requests.size());
        for (Request request : requests) {
            decisions.add(next(request));
        }
        return decisions;
    }

    /** The decision of the next request. */
    public Decision next(Request request) {
        if (steps == 1 && bucket == null) {
            bucket = limit instanceof TokenBucket tokens && state instanceof RedisPermits permits
                    ? InPlaceBucket.of(tokens, permits)
                    : null;
        }
        if (bucket != null) {
            Decision granted = bucket.tryTake(request, nowMicros);
            if (granted != null) {
                isBucketChanged = true;
                return granted;
            }
            state = state();
            bucket = null;
        }
        Step<S> step = limit.step(state, nowMicros, request);
        state = step.state();
        steps++;
        return step.decision();
    }

    /** The state after the last request, the same object as before if nothing changed; {@code null} if there is none. */
    public @Nullable S state() {
        return bucket == null || !isBucketChanged ? state : limit.stateType().cast(bucket.state());
    }
}
