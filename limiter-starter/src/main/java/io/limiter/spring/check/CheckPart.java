package io.limiter.spring.check;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Lease;
import io.limiter.Limiter;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.limiter.EngineLimiter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The permits that a check takes from one limit: a step of its own, or a part of a set. They are spent, or of a concurrency limit held
 * until the call is done.
 */
final class CheckPart extends CheckStep<CheckPart.Taken> {

    private final PermitRequest request;
    private final Duration timeout;
    private final @Nullable Decision earlier;
    private final @Nullable Charge charge;

    /**
     * A decision, and what returns the permits that it granted.
     *
     * @param decision {@code null} if it is a lease
     * @param outcome cancels permits that are spent; {@code null} if a rejection is repeated, or the limiter is one of the application
     * @param lease {@code null} unless permits are held
     */
    record Taken(
            @Nullable Decision decision,
            @Nullable Outcome outcome,
            @Nullable Lease lease) {

        static Taken of(Decision decision) {
            return new Taken(decision, null, null);
        }

        static Taken of(Outcome outcome) {
            return new Taken(outcome.toDecision(), outcome, null);
        }

        static Taken of(Lease lease) {
            return new Taken(null, null, lease);
        }
    }

    /** Kept, because to find it costs as much as a decision without a call. */
    private @Nullable Limiter view;

    /**
     * @param timeout how long the call waits for the permits
     * @param earlier a rejection of an earlier check that applies to this one too; {@code null} if there is none
     * @param charge {@code null} if all permits stay charged whatever the outcome of the call
     */
    CheckPart(
            EffectiveLimit limit,
            PermitRequest request,
            Duration timeout,
            @Nullable Decision earlier,
            @Nullable Charge charge) {
        super(limit);
        this.request = request;
        this.timeout = timeout;
        this.earlier = earlier;
        this.charge = charge;
    }

    @Nullable
    Charge charge() {
        return charge;
    }

    PermitRequest request() {
        return request;
    }

    /** Whether an earlier check rejected these permits, so that this one repeats its rejection. */
    boolean isRepeated() {
        return earlier != null;
    }

    @Override
    boolean isHolding() {
        return limit().leases() != null;
    }

    Duration timeout() {
        return timeout;
    }

    /** The limiter's view of the requested key, where permits are spent. */
    Limiter view() {
        Limiter known = view;
        if (known == null) {
            known = Objects.requireNonNull(limit().limiter());
            for (String key : request.keys()) {
                known = known.on(key);
            }
            view = known;
        }
        return known;
    }

    @Override
    Taken decide() {
        if (earlier != null) {
            return Taken.of(earlier);
        }
        ConcurrencyLimiter leases = limit().leases();
        if (leases != null) {
            return acquire(viewOf(leases));
        }
        return view() instanceof EngineLimiter<?> ofEngine
                ? Taken.of(ofEngine.outcome(request.permits(), timeout))
                : Taken.of(view().decide(request.permits(), timeout));
    }

    @Override
    CompletableFuture<Taken> decideAsync() {
        if (earlier != null) {
            return CompletableFuture.completedFuture(Taken.of(earlier));
        }
        ConcurrencyLimiter leases = limit().leases();
        if (leases != null) {
            return acquireAsync(viewOf(leases));
        }
        return view() instanceof EngineLimiter<?> ofEngine
                ? ofEngine.outcomeAsync(request.permits(), timeout, Taken::of)
                : CancellingFuture.of(view().async().decide(request.permits(), timeout), Taken::of);
    }

    private ConcurrencyLimiter viewOf(ConcurrencyLimiter leases) {
        ConcurrencyLimiter found = leases;
        for (String key : request.keys()) {
            found = found.on(key);
        }
        return found;
    }

    private Taken acquire(ConcurrencyLimiter leases) {
        try {
            return Taken.of(leases.acquire(request.permits(), timeout));
        } catch (RateLimitExceededException e) {
            return Taken.of(e.decision());
        }
    }

    /** Cancelling it ends the wait for the permits. A lease that is granted later is released. */
    private CompletableFuture<Taken> acquireAsync(ConcurrencyLimiter leases) {
        CancellingFuture<Taken> taken = new CancellingFuture<>();
        CompletableFuture<Lease> acquired = leases.async().acquire(request.permits(), timeout);
        taken.await(acquired);
        acquired.whenComplete((lease, error) -> {
            if (error == null) {
                if (!taken.complete(Taken.of(lease))) {
                    lease.closeAsync();
                }
            } else if (AsyncFailures.cause(error) instanceof RateLimitExceededException rejected) {
                taken.complete(Taken.of(rejected.decision()));
            } else {
                taken.completeExceptionally(error);
            }
        });
        return taken;
    }

    /** Reserves the permits where that is possible, so that no timer waits until they are due. */
    @Override
    CompletableFuture<Taken> decideInShadow() {
        if (isHolding() || !(view() instanceof RateLimiter rates)) {
            return decideAsync();
        }
        return CancellingFuture.of(
                rates.async().reserve(request.permits(), timeout), reserved -> Taken.of(reserved.decision()));
    }

    @Override
    @Nullable
    Rejection rejectionIn(Taken taken) {
        Decision decision = taken.decision();
        return decision == null || decision.isGranted() ? null : rejection(decision);
    }

    @Override
    List<LimitDecision> decisionsIn(Taken taken) {
        return List.of(decided(taken.decision()));
    }

    /** @param decision {@code null} if it is unknown, or a lease */
    LimitDecision decided(@Nullable Decision decision) {
        return new LimitDecision(request, limit().definition(), decision, limit().internal());
    }

    Rejection rejection(Decision decision) {
        return limit().rejection(request, decision, earlier != null);
    }

    @Override
    @Nullable
    Lease leaseIn(Taken taken) {
        return taken.lease();
    }

    /** If the cancellation fails, they stay spent. Limiters of applications only have a refund. */
    @Override
    Runnable cancellation(Taken granted) {
        Decision decision = granted.decision();
        if (earlier != null || decision == null) {
            return () -> {};
        }
        Limiter spent = view();
        if (spent instanceof EngineLimiter<?> ofEngine && granted.outcome() != null) {
            return ofEngine.reservationOf(granted.outcome(), request.permits())::cancelAsync;
        }
        return () -> {
            if (LimitDecision.isRefundable(decision.source())) {
                spent.async().refund(request.permits());
            }
        };
    }
}
