package io.limiter.spring.aop;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.Decision;
import io.limiter.spring.key.MissingLimitKeyException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A declared concurrency limit with the limiter that carries it out.
 *
 * @param refusals tells of those
 */
record BoundConcurrency(
        DeclaredConcurrency declared, ConcurrencyLimiter limiter, ApplicationBeans beans, RefusalLog refusals) {

    static BoundConcurrency of(LimiterFactory prefixed, DeclaredConcurrency declared, ApplicationBeans beans) {
        return new BoundConcurrency(
                declared,
                prefixed.build(declared.name(), declared.limit()),
                beans,
                new RefusalLog(declared.where(), true, System::nanoTime));
    }

    /**
     * Takes a place for one call.
     *
     * @throws RateLimitExceededException if there is none
     */
    Lease enter(@Nullable Object[] arguments) {
        String owner = key(arguments);
        DecisionRecorder recorder = beans.recorder();
        try {
            Lease lease = owner == null
                    ? limiter.acquire(1, declared.timeout())
                    : limiter.acquire(owner, 1, declared.timeout());
            record(recorder, owner, null);
            return lease;
        } catch (RateLimitExceededException e) {
            refusals.refused(e.decision());
            record(recorder, owner, e.decision());
            throw Refusal.exceeded(e.key(), e.decision(), declared.message());
        }
    }

    private @Nullable String key(@Nullable Object[] arguments) {
        try {
            return declared.key().of(arguments);
        } catch (MissingLimitKeyException e) {
            refusals.failed(e);
            throw e;
        }
    }

    private void record(@Nullable DecisionRecorder recorder, @Nullable String owner, @Nullable Decision refusal) {
        if (recorder != null) {
            LimitAsked asked = new LimitAsked(declared.prefix(), declared.name(), declared.named(), owner, null, 1);
            recorder.decided(refusal, List.of(new LimitDecision(asked, limiter.limit(), refusal)));
        }
    }
}
