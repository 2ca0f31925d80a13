package io.limiter.internal.named;

import io.limiter.algorithm.AnyLimit;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.resilience.Failover;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import org.jspecify.annotations.Nullable;

/**
 * The limit and the engine that decide a request.
 *
 * @param limit the limit definition
 * @param step how it decides
 * @param failover decides, by the engine or else by the failure policy
 */
public record EffectiveLimit<L extends AnyLimit>(L limit, LimitStep<?> step, Failover failover) {

    public EffectiveLimit(L limit, Failover failover) {
        this(limit, limit.asStep(), failover);
    }

    /** The decision if the key is exempt or banned; {@code null} for all other keys. */
    public @Nullable Outcome exemptOrBanned(Request request) {
        return failover.engine() instanceof AccessEngine access ? access.decide(step, request) : null;
    }
}
