package io.limiter.spring.internal.check;

import io.limiter.Decision;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.step.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * The decision of one limit in a check.
 *
 * @param decision {@code null} if a concurrency limit granted, because it has no more to show, or if it is unknown, because another
 *     limit has rejected before this one was asked
 * @param internal whether responses do not show it, because the limit is not the caller's
 */
public record LimitDecision(
        PermitRequest request, AnyLimit limit, @Nullable Decision decision, boolean internal) {

    /** The decision of a limit that the caller sees. */
    public LimitDecision(PermitRequest request, AnyLimit limit, @Nullable Decision decision) {
        this(request, limit, decision, false);
    }

    public boolean isGranted() {
        return decision == null || decision.isGranted();
    }

    /** The same after its permits were refunded; when the limit is full again is then unknown. */
    LimitDecision refunded() {
        if (decision == null || !isRefundable(decision.source())) {
            return this;
        }
        if (decision.remaining() == 0 && limit instanceof TokenBucket) {
            // It may have been in debt, which the refund pays first.
            return new LimitDecision(request, limit, null, internal);
        }
        long remaining = Math.min(decision.limit(), decision.remaining() + request.permits());
        Verdict after = Verdict.granted(decision.limit(), remaining, Verdict.NEVER_MICROS)
                .withWaitMicros(decision.waitMicros());
        return new LimitDecision(request, limit, Decision.of(after, decision.source()), internal);
    }

    /** Whether permits were taken from the backend, where a refund goes. */
    static boolean isRefundable(Decision.Source source) {
        return source != Decision.Source.POLICY
                && source != Decision.Source.LOCAL
                && source != Decision.Source.OVERRIDE;
    }
}
