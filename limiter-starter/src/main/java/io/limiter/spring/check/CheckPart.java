package io.limiter.spring.check;

import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.limiter.EngineLimiter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The permits that a check takes from one limit: a step of its own, or a part of a set. */
public final class CheckPart extends CheckStep<CheckPart.Decided> {

    private final Limiter limiter;
    private final PermitRequest request;
    private final Duration timeout;
    private final @Nullable Decision earlier;
    private final @Nullable Charge charge;

    /**
     * A decision.
     *
     * @param outcome what cancels what it grants; {@code null} if this is a repeated rejection, or of a limiter of the application
     */
    record Decided(Decision decision, @Nullable Outcome outcome) {

        static Decided of(Decision decision) {
            return new Decided(decision, null);
        }

        static Decided of(Outcome outcome) {
            return new Decided(outcome.toDecision(), outcome);
        }
    }

    /** Kept, because to find it costs as much as a decision without a call. */
    private @Nullable Limiter view;

    /**
     * @param timeout how long the call waits for the permits
     * @param earlier a rejection of an earlier check that applies to this one too; {@code null} if there is none
     * @param charge {@code null} if all permits stay charged whatever the outcome of the call
     */
    public CheckPart(
            CheckedLimit limit,
            Limiter limiter,
            PermitRequest request,
            Duration timeout,
            @Nullable Decision earlier,
            @Nullable Charge charge) {
        super(limit);
        this.limiter = limiter;
        this.request = request;
        this.timeout = timeout;
        this.earlier = earlier;
        this.charge = charge;
    }

    @Nullable
    Charge charge() {
        return charge;
    }

    public PermitRequest request() {
        return request;
    }

    /** Whether an earlier check rejected these permits, so that this one repeats its rejection. */
    public boolean isRepeated() {
        return earlier != null;
    }

    Duration timeout() {
        return timeout;
    }

    /** The limiter's view of the requested key. */
    Limiter view() {
        Limiter known = view;
        if (known == null) {
            known = limiter;
            for (String key : request.keys()) {
                known = known.on(key);
            }
            view = known;
        }
        return known;
    }

    @Override
    Decided decide() {
        if (earlier != null) {
            return Decided.of(earlier);
        }
        return view() instanceof EngineLimiter<?> ofEngine
                ? Decided.of(ofEngine.outcome(request.permits(), timeout))
                : Decided.of(view().decide(request.permits(), timeout));
    }

    @Override
    CompletableFuture<Decided> decideAsync() {
        if (earlier != null) {
            return CompletableFuture.completedFuture(Decided.of(earlier));
        }
        return view() instanceof EngineLimiter<?> ofEngine
                ? ofEngine.outcomeAsync(request.permits(), timeout, Decided::of)
                : CancellingFuture.of(view().async().decide(request.permits(), timeout), Decided::of);
    }

    /** Reserves the permits where that is possible, so that no timer waits until they are due. */
    @Override
    CompletableFuture<Decided> decideInShadow() {
        if (!(view() instanceof RateLimiter rates)) {
            return decideAsync();
        }
        return CancellingFuture.of(
                rates.async().reserve(request.permits(), timeout), reserved -> Decided.of(reserved.decision()));
    }

    @Override
    @Nullable
    Rejection rejectionIn(Decided decided) {
        return decided.decision().isGranted() ? null : rejection(decided.decision());
    }

    @Override
    List<LimitDecision> decisionsIn(Decided decided) {
        return List.of(decided(decided.decision()));
    }

    /** @param decision {@code null} if it is unknown */
    LimitDecision decided(@Nullable Decision decision) {
        return new LimitDecision(request, limiter.limit(), decision, limit().internal());
    }

    Rejection rejection(Decision decision) {
        return limit().rejection(request, decision, earlier != null);
    }

    /** If the cancellation fails, they stay spent. Limiters of applications only have a refund. */
    @Override
    Runnable cancellation(Decided granted) {
        if (earlier != null) {
            return () -> {};
        }
        Limiter view = view();
        if (view instanceof EngineLimiter<?> ofEngine && granted.outcome() != null) {
            return ofEngine.reservationOf(granted.outcome(), request.permits())::cancelAsync;
        }
        return () -> {
            if (LimitDecision.isRefundable(granted.decision().source())) {
                view.async().refund(request.permits());
            }
        };
    }
}
