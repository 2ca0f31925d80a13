package io.limiter.internal.step;

import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of several requests for one key at one moment. Equal to {@link LimitStep#step} one after the other, but grants of a
 * plain token bucket allocate nothing but their verdict. Not safe for use by multiple threads.
 *
 * @param <S> the type of the limit's state
 */
public final class Steps<S> {

    private final LimitStep<S> limit;
    private final long nowMicros;
    private @Nullable S state;
    private int steps;
    // Instead of the state from the second request on, as long as it can decide.
    private @Nullable InPlaceBucket bucket;
    private boolean isBucketChanged;

    /**
     * @param state before the first request; {@code null} if there is none
     * @param nowMicros as in {@link LimitStep#step}
     */
    public Steps(LimitStep<S> limit, @Nullable S state, long nowMicros) {
        this.limit = limit;
        this.nowMicros = nowMicros;
        this.state = state;
    }

    /** The verdicts on the next requests, in their order. */
    public List<Verdict> next(List<Request> requests) {
        if (requests.size() == 1) {
            return List.of(next(requests.get(0)));
        }
        List<Verdict> verdicts = new ArrayList<>(requests.size());
        for (Request request : requests) {
            verdicts.add(next(request));
        }
        return verdicts;
    }

    /** The verdict on the next request. */
    public Verdict next(Request request) {
        if (steps == 1 && bucket == null) {
            bucket = limit instanceof TokenBucket tokens && state instanceof RedisPermits permits
                    ? InPlaceBucket.of(tokens, permits)
                    : null;
        }
        if (bucket != null) {
            Verdict granted = bucket.tryTake(request, nowMicros);
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
        return step.verdict();
    }

    /** The state after the last request, the same object as before if nothing changed; {@code null} if there is none. */
    public @Nullable S state() {
        return bucket == null || !isBucketChanged ? state : limit.stateType().cast(bucket.state());
    }
}
