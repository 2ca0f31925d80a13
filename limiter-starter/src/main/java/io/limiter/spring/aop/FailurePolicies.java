package io.limiter.spring.aop;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.spring.annotation.OnFailure;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/** What annotations say about failures of the backend. */
final class FailurePolicies {

    private FailurePolicies() {}

    /** The policy of the annotation; {@code null} for that of the application. */
    static FailurePolicy.@Nullable Action action(MergedAnnotation<?> annotation) {
        return switch (annotation.getEnum("onFailure", OnFailure.class)) {
            case DEFAULT -> null;
            case DENY -> FailurePolicy.Action.DENY;
            case ALLOW -> FailurePolicy.Action.ALLOW;
            case THROW -> FailurePolicy.Action.THROW;
            case LOCAL -> FailurePolicy.Action.LOCAL;
        };
    }

    /**
     * The share of the annotation; {@code null} if it is the whole limit.
     *
     * @throws IllegalArgumentException if the share is out of range, or has no effect
     */
    static @Nullable Double share(MergedAnnotation<?> annotation) {
        OnFailure onFailure = annotation.getEnum("onFailure", OnFailure.class);
        double share = annotation.getDouble("failureShare");
        if (share == 1.0) {
            return null;
        }
        if (onFailure != OnFailure.LOCAL) {
            throw new IllegalArgumentException(
                    "failureShare " + share + " has no effect with onFailure " + onFailure + ": use OnFailure.LOCAL");
        }
        // Written so that NaN fails.
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("failureShare must be more than 0 and at most 1, was " + share);
        }
        return share;
    }

    static LimiterFactory apply(@Nullable FailurePolicy policy, LimiterFactory limiters) {
        return policy == null ? limiters : limiters.withFailurePolicy(policy);
    }
}
