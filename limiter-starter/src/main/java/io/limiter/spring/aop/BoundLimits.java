package io.limiter.spring.aop;

import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one method: the one place that says how several are asked.
 *
 * @param limits in the order in which they are asked, at least one
 */
record BoundLimits(List<BoundLimit> limits) {

    /** Asks one after the other, until the first refusal; {@code null} if the call can go on. */
    @Nullable
    Refusal take(MethodInvocation call) {
        for (BoundLimit limit : limits) {
            Refusal refusal = limit.take(call);
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }
}
