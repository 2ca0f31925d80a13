package io.limiter.testing;

import io.limiter.algorithm.Limit;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import org.jspecify.annotations.Nullable;

/** A custom limit that divides by zero. */
public class BrokenLimit implements Limit, LimitStep<Double> {

    private final boolean decides;

    public BrokenLimit() {
        this(false);
    }

    /** @param decides whether it divides by zero only when how long its state is kept is computed */
    public BrokenLimit(boolean decides) {
        this.decides = decides;
    }

    @Override
    public BrokenLimit asStep() {
        return this;
    }

    @Override
    public Class<Double> stateType() {
        return Double.class;
    }

    @Override
    public long capacity() {
        return 1;
    }

    @Override
    public BrokenLimit scaled(double share) {
        return this;
    }

    @Override
    public Step<Double> step(@Nullable Double state, long nowMicros, Request request) {
        if (decides) {
            return Step.of(1.0, Verdict.granted(1, 0, 0));
        }
        throw new ArithmeticException("/ by zero");
    }

    @Override
    public long lifetimeMillis(Double state, long nowMicros) {
        throw new ArithmeticException("/ by zero");
    }

    @Override
    public String toString() {
        return "BrokenLimit[decides=" + decides + "]";
    }
}
