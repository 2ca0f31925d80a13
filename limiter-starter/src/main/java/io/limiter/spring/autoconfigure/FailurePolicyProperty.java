package io.limiter.spring.autoconfigure;

import io.limiter.FailurePolicy;
import io.limiter.FailurePolicy.Action;
import io.limiter.spring.aop.InvalidSettingException;
import org.jspecify.annotations.Nullable;

/** A policy and a share that are two settings. */
final class FailurePolicyProperty {

    private FailurePolicyProperty() {}

    /**
     * The policy of both; {@code null} if neither is set.
     *
     * @throws InvalidSettingException naming the setting that is out of its range, or without effect
     */
    static @Nullable FailurePolicy policy(
            String policySetting, @Nullable Action action, String shareSetting, @Nullable Double share) {
        if (share != null && action != null && action != Action.LOCAL) {
            throw new InvalidSettingException(
                    shareSetting,
                    shareSetting + " has no effect with " + policySetting + " "
                            + action.name().toLowerCase(java.util.Locale.ROOT) + ", only with local, was " + share);
        }
        if (share != null) {
            if (!(share > 0 && share <= 1)) {
                throw new InvalidSettingException(
                        shareSetting, shareSetting + " must be more than 0 and at most 1, was " + share);
            }
            return FailurePolicy.local(share);
        }
        return action == null
                ? null
                : switch (action) {
                    case DENY -> FailurePolicy.DENY;
                    case ALLOW -> FailurePolicy.ALLOW;
                    case LOCAL -> FailurePolicy.LOCAL;
                    case THROW -> FailurePolicy.THROW;
                };
    }
}
