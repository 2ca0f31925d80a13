package io.limiter.internal.override;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.resilience.Failover;
import org.jspecify.annotations.Nullable;

/**
 * What decides a request.
 *
 * @param limit the limit definition
 * @param engine the engine, with the failure policy
 */
public record InEffect<L extends Limit<?>>(L limit, Failover engine) {

    /** The decision for a key that is exempt or banned; {@code null} for all others. */
    public @Nullable Decision atOnce(Request request) {
        return engine.engine() instanceof AccessEngine access ? access.decide(limit, request) : null;
    }
}
