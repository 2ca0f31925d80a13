package io.limiter.spring.internal.check;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Lease;
import io.limiter.Limiter;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.limiter.EngineLimiter;
import io.limiter.spring.web.RuleLimits.Left;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The permits that a check takes from one limit: a step of its own, or a part of a set. They are spent, or of a concurrency limit held
 * until the call is done.
 */
final class CheckPart extends CheckStep {

    private final PermitRequest request;
    private final Duration timeout;
    private final @Nullable Decision earlier;
    private final @Nullable Charge charge;

    /** Kept, because to find it costs as much as a decision without a call. */
    private @Nullable Limiter view;

    /** {@code null} until it is decided, and if it is a lease. */
    private @Nullable Decision decision;

    /** As the engine has decided; {@code null} if a rejection is repeated, or the limiter is one of the application. */
    private @Nullable Outcome outcome;

    /** Of permits that are spent and may be cancelled. */
    private @Nullable Reservation reservation;

    private @Nullable Lease lease;
    private boolean refunded;

    /**
     * @param timeout how long the call waits for the permits
     * @param earlier a rejection of an earlier check that applies to this one too; {@code null} if there is none
     * @param charge {@code null} if all permits stay charged whatever the outcome of the call
     */
    CheckPart(
            CallLimit limit,
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
    CheckPart again() {
        CheckPart again = new CheckPart(limit(), request, timeout, earlier, charge);
        again.view = view;
        return again;
    }

    @Override
    void decide() {
        ConcurrencyLimiter leases = limit().leases();
        if (earlier != null) {
            decided(earlier);
        } else if (leases != null) {
            acquire(viewOf(leases));
        } else if (view() instanceof EngineLimiter<?> ofEngine) {
            decided(ofEngine.outcome(request.permits(), timeout));
        } else {
            decided(view().decide(request.permits(), timeout));
        }
    }

    @Override
    CompletableFuture<?> decideAsync() {
        if (earlier != null) {
            return CompletableFuture.completedFuture(decided(earlier));
        }
        ConcurrencyLimiter leases = limit().leases();
        if (leases != null) {
            return acquireAsync(viewOf(leases));
        }
        return view() instanceof EngineLimiter<?> ofEngine
                ? ofEngine.outcomeAsync(request.permits(), timeout, this::decided)
                : CancellingFuture.of(view().async().decide(request.permits(), timeout), this::decided);
    }

    private CheckPart decided(Decision newDecision) {
        decision = newDecision;
        return this;
    }

    private CheckPart decided(Outcome newOutcome) {
        outcome = newOutcome;
        return decided(newOutcome.toDecision());
    }

    private CheckPart decided(Reservation newReservation) {
        reservation = newReservation;
        return decided(newReservation.decision());
    }

    private ConcurrencyLimiter viewOf(ConcurrencyLimiter leases) {
        ConcurrencyLimiter found = leases;
        for (String key : request.keys()) {
            found = found.on(key);
        }
        return found;
    }

    private void acquire(ConcurrencyLimiter leases) {
        try {
            lease = leases.acquire(request.permits(), timeout);
        } catch (RateLimitExceededException e) {
            decided(e.decision());
        }
    }

    /** Cancelling it ends the wait for the permits. A lease that is granted later is released. */
    private CompletableFuture<CheckPart> acquireAsync(ConcurrencyLimiter leases) {
        CancellingFuture<CheckPart> decided = new CancellingFuture<>();
        CompletableFuture<Lease> acquired = leases.async().acquire(request.permits(), timeout);
        decided.await(acquired);
        acquired.whenComplete((granted, error) -> {
            if (error == null) {
                lease = granted;
                if (!decided.complete(this)) {
                    granted.closeAsync();
                }
            } else if (AsyncFailures.cause(error) instanceof RateLimitExceededException rejected) {
                decided.complete(decided(rejected.decision()));
            } else {
                decided.completeExceptionally(error);
            }
        });
        return decided;
    }

    /** Whether its permits can be reserved; those of a limiter that leaves some to others cannot. */
    boolean reservesAhead() {
        return view() instanceof RateLimiter
                && !(view() instanceof EngineLimiter<?> ofEngine && !ofEngine.reservesAhead());
    }

    /** Reserves the permits where that is possible, so that no timer waits until they are due. */
    @Override
    CompletableFuture<?> decideInShadow() {
        return !isHolding() && reservesAhead() && view() instanceof RateLimiter rates
                ? CancellingFuture.of(rates.async().reserve(request.permits(), timeout), this::decided)
                : decideAsync();
    }

    /** Starts to ask what is left for the key, and takes nothing. The result is empty if the plan of the call leaves the limit out. */
    CompletableFuture<Optional<Left>> peek() {
        ConcurrencyLimiter leases = limit().leases();
        CompletableFuture<Decision> peeked =
                leases == null ? view().async().peek() : viewOf(leases).async().peek();
        return peeked.thenApply(known -> isLeftOut(known) ? Optional.empty() : Optional.of(left(known)));
    }

    private Left left(Decision known) {
        long used = Math.max(0, known.limit() - known.remaining());
        return Left.of(
                limit().name().name(),
                used,
                known.remaining(),
                known.periodEnd().orElse(null));
    }

    @Override
    @Nullable
    Rejection rejection() {
        return decision == null || decision.isGranted() ? null : rejection(decision);
    }

    @Override
    List<LimitDecision> decisions() {
        return List.of(of(decision));
    }

    /** @param known {@code null} if it is unknown, or a lease */
    LimitDecision of(@Nullable Decision known) {
        return new LimitDecision(request, limit().definition(), known, isLeftOut(known) || limit().internal());
    }

    /** Whether the plan of the call leaves the limit out, so that callers are not shown what it grants. */
    private boolean isLeftOut(@Nullable Decision known) {
        return limit().unlimited()
                && (known == null || known.isGranted() && known.source() == Decision.Source.OVERRIDE);
    }

    Rejection rejection(Decision rejecting) {
        return limit().rejection(request, rejecting, earlier != null);
    }

    @Override
    @Nullable
    Lease lease() {
        return lease;
    }

    @Override
    void keep() {
        if (reservation == null && outcome != null && view() instanceof EngineLimiter<?> ofEngine) {
            reservation = ofEngine.reservationOf(outcome, request.permits());
        }
    }

    /** If the cancellation fails, they stay spent. Limiters of applications only have a refund. */
    @Override
    void cancel() {
        keep();
        if (reservation != null) {
            reservation.cancelAsync();
        } else if (startRefund()) {
            view().async().refund(request.permits());
        }
    }

    private synchronized boolean startRefund() {
        boolean starts = !refunded
                && earlier == null
                && decision != null
                && decision.isGranted()
                && LimitDecision.isRefundable(decision.source());
        refunded |= starts;
        return starts;
    }
}
