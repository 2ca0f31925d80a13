package io.limiter.spring.check;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Lease;
import io.limiter.RateLimitExceededException;
import io.limiter.internal.backend.AsyncFailures;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Holds permits of a concurrency limit until the call is done. */
public final class LeaseStep extends CheckStep<LeaseStep.LeaseResult> {

    private final ConcurrencyLimiter limiter;
    private final PermitRequest request;
    private final Duration timeout;

    /** @param timeout how long to wait for the permits */
    public LeaseStep(CheckedLimit limit, ConcurrencyLimiter limiter, PermitRequest request, Duration timeout) {
        super(limit);
        this.limiter = limiter;
        this.request = request;
        this.timeout = timeout;
    }

    /** Either a lease or a rejection. */
    record LeaseResult(@Nullable Lease lease, @Nullable Decision rejection) {}

    @Override
    LeaseResult decide() {
        try {
            return new LeaseResult(view().acquire(request.permits(), timeout), null);
        } catch (RateLimitExceededException e) {
            return new LeaseResult(null, e.decision());
        }
    }

    /** Cancelling it ends the wait for the permits. A lease that is granted later is released. */
    @Override
    CompletableFuture<LeaseResult> decideAsync() {
        CancellingFuture<LeaseResult> outcome = new CancellingFuture<>();
        CompletableFuture<Lease> acquired = view().async().acquire(request.permits(), timeout);
        outcome.await(acquired);
        acquired.whenComplete((lease, error) -> {
            if (error == null) {
                if (!outcome.complete(new LeaseResult(lease, null))) {
                    lease.closeAsync();
                }
            } else if (AsyncFailures.cause(error) instanceof RateLimitExceededException rejected) {
                outcome.complete(new LeaseResult(null, rejected.decision()));
            } else {
                outcome.completeExceptionally(error);
            }
        });
        return outcome;
    }

    private ConcurrencyLimiter view() {
        ConcurrencyLimiter view = limiter;
        for (String key : request.keys()) {
            view = view.on(key);
        }
        return view;
    }

    @Override
    @Nullable
    Rejection rejectionIn(LeaseResult decided) {
        Decision rejection = decided.rejection();
        return rejection == null ? null : limit().rejection(request, rejection, false);
    }

    @Override
    List<LimitDecision> decisionsIn(LeaseResult decided) {
        return List.of(new LimitDecision(request, limiter.limit(), decided.rejection(), limit().internal()));
    }

    @Override
    @Nullable
    Lease leaseIn(LeaseResult decided) {
        return decided.lease();
    }

    @Override
    boolean isHolding() {
        return true;
    }
}
