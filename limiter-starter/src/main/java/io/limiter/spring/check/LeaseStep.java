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
public final class LeaseStep extends CheckStep<LeaseStep.Outcome> {

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
    record Outcome(@Nullable Lease lease, @Nullable Decision rejection) {}

    @Override
    Outcome decide() {
        try {
            return new Outcome(view().acquire(request.permits(), timeout), null);
        } catch (RateLimitExceededException e) {
            return new Outcome(null, e.decision());
        }
    }

    /** Cancelling it ends the wait for the permits. A lease that is granted later is released. */
    @Override
    CompletableFuture<Outcome> decideAsync() {
        CancellingFuture<Outcome> outcome = new CancellingFuture<>();
        CompletableFuture<Lease> acquired = view().async().acquire(request.permits(), timeout);
        outcome.await(acquired);
        acquired.whenComplete((lease, error) -> {
            if (error == null) {
                if (!outcome.complete(new Outcome(lease, null))) {
                    lease.closeAsync();
                }
            } else if (AsyncFailures.cause(error) instanceof RateLimitExceededException rejected) {
                outcome.complete(new Outcome(null, rejected.decision()));
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
    Rejection rejectionIn(Outcome decided) {
        Decision rejection = decided.rejection();
        return rejection == null ? null : limit().rejection(request, rejection, false);
    }

    @Override
    List<LimitDecision> decisionsIn(Outcome decided) {
        return List.of(new LimitDecision(request, limiter.limit(), decided.rejection(), limit().internal()));
    }

    @Override
    @Nullable
    Lease leaseIn(Outcome decided) {
        return decided.lease();
    }

    @Override
    boolean isHolding() {
        return true;
    }
}
