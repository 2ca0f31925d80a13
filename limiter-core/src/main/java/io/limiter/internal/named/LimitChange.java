package io.limiter.internal.named;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.AnyLimit;
import io.limiter.internal.engine.ImmediateEngine.Known;
import io.limiter.internal.resilience.Failover;
import org.jspecify.annotations.Nullable;

/** A change of the limits of one name, or of one of its keys, after the limiters were built. Immutable. */
public interface LimitChange {

    /** Whether it is for limits of this kind. Limiters of several kinds may have one name; then the kind selects those that change. */
    boolean concerns(AnyLimit own);

    /**
     * The limit as it changes it, or the limit itself.
     *
     * @throws IllegalArgumentException if it does not fit
     */
    <L extends AnyLimit> L applied(L own);

    /** Whether it says how much is granted, and not only how. */
    boolean hasParameters();

    /** Decides while Redis is unavailable; {@code null} for the limiter's own policy. */
    @Nullable
    FailurePolicy failurePolicy();

    /** {@link Known#EXEMPT} or {@link Known#BANNED} for a key that is not limited but treated so; {@code null} for all others. */
    @Nullable
    Known access();

    /** What decides with it. */
    default <L extends AnyLimit> EffectiveLimit<L> over(EffectiveLimit<L> own) {
        FailurePolicy policy = failurePolicy();
        Failover engine = own.failover();
        return own.with(applied(own.limit()), policy == null ? engine : engine.with(policy));
    }
}
