package io.limiter.internal.override;

import io.limiter.algorithm.AnyLimit;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.resilience.Failover;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import org.jspecify.annotations.Nullable;

/**
 * What decides a request.
 *
 * @param limit the limit definition
 * @param step how it decides
 * @param engine the engine, with the failure policy
 */
public record InEffect<L extends AnyLimit>(L limit, LimitStep<?> step, Failover engine) {

    public InEffect(L limit, Failover engine) {
        this(limit, limit.asStep(), engine);
    }

    /** The decision for a key that is exempt or banned; {@code null} for all others. */
    public @Nullable Outcome atOnce(Request request) {
        return engine.engine() instanceof AccessEngine access ? access.decide(step, request) : null;
    }
}
