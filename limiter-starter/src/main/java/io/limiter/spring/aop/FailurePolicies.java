package io.limiter.spring.aop;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.spring.annotation.OnFailure;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/** What annotations say about failures of the backend. */
final class FailurePolicies {

    private FailurePolicies() {}

    /**
     * What the annotation says; {@code null} for what the application does.
     *
     * @throws IllegalArgumentException if the share is out of its range, or without effect
     */
    static @Nullable FailurePolicy of(MergedAnnotation<?> annotation) {
        OnFailure onFailure = annotation.getEnum("onFailure", OnFailure.class);
        double share = annotation.getDouble("failureShare");
        if (share != 1.0 && onFailure != OnFailure.LOCAL) {
            throw new IllegalArgumentException(
                    "failureShare " + share + " has no effect with onFailure " + onFailure + ": use OnFailure.LOCAL");
        }
        return switch (onFailure) {
            case DEFAULT -> null;
            case DENY -> FailurePolicy.DENY;
            case ALLOW -> FailurePolicy.ALLOW;
            case THROW -> FailurePolicy.THROW;
            case LOCAL -> local(share);
        };
    }

    private static FailurePolicy local(double share) {
        try {
            return FailurePolicy.local(share);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("failureShare must be more than 0 and at most 1, was " + share, e);
        }
    }

    static LimiterFactory apply(@Nullable FailurePolicy policy, LimiterFactory limiters) {
        return policy == null ? limiters : limiters.withFailurePolicy(policy);
    }
}
