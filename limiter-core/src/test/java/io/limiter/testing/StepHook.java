package io.limiter.testing;

import io.limiter.algorithm.Limit;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import org.jspecify.annotations.Nullable;

/**
 * A custom limit that decides as another one, and lets something happen before: between the load and the save of a decision.
 *
 * @param <S> the state of the other one
 */
public class StepHook<S> implements Limit, LimitStep<S> {

    private final LimitStep<S> limit;
    private final Runnable hook;
    private int times;

    /** @param times how often */
    public StepHook(LimitStep<S> limit, Runnable hook, int times) {
        this.limit = limit;
        this.hook = hook;
        this.times = times;
    }

    @Override
    public final StepHook<S> asStep() {
        return this;
    }

    @Override
    public final Class<S> stateType() {
        return limit.stateType();
    }

    @Override
    public final LimitStep<S> scaled(double share) {
        return limit.scaled(share);
    }

    @Override
    public final long capacity() {
        return limit.capacity();
    }

    @Override
    public Step<S> step(@Nullable S state, long nowMicros, Request request) {
        if (times-- > 0) {
            hook.run();
        }
        return limit.step(state, nowMicros, request);
    }

    @Override
    public final long lifetimeMillis(S state, long nowMicros) {
        return limit.lifetimeMillis(state, nowMicros);
    }
}
