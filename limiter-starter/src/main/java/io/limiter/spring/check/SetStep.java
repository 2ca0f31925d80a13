package io.limiter.spring.check;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.SetReservation;
import io.limiter.algorithm.Decision;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.limiter.EngineLimitSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Takes the permits of a set of limits, all or nothing.
 *
 * @param <D> what the set returns
 */
abstract class SetStep<D> extends CheckStep<D> {

    final List<CheckPart> parts;
    final LimitSet set;
    final Duration[] timeouts;
    private final List<Limiter> inSet;

    private SetStep(List<CheckPart> parts) {
        super(parts.get(0).limit());
        this.parts = parts;
        this.inSet = new ArrayList<>(parts.size());
        LimitSet all = null;
        for (CheckPart part : parts) {
            Limiter limiter = part.view();
            int permits = part.request().permits();
            inSet.add(limiter);
            all = all == null ? LimitSet.of(limiter, permits) : all.and(limiter, permits);
        }
        this.set = Objects.requireNonNull(all);
        this.timeouts = parts.stream().map(CheckPart::timeout).toArray(Duration[]::new);
    }

    static SetStep<?> ofParts(List<CheckPart> parts) {
        return parts.stream().anyMatch(part -> part.charge() != null) ? new Reserving(parts) : new Deciding(parts);
    }

    abstract SetDecision decision(D decided);

    @Override
    final @Nullable Decision rejectionIn(D decided) {
        SetDecision decision = decision(decided);
        return decision.granted() ? null : decision.decision();
    }

    @Override
    final List<LimitDecision> decisionsIn(D decided) {
        List<LimitDecision> decisions = new ArrayList<>(parts.size());
        for (SetDecision.OfPart each : decision(decided).parts()) {
            decisions.add(part(each).decided(each.decision()));
        }
        return decisions;
    }

    @Override
    final Rejection rejection(D decided, Decision rejection) {
        return part(decision(decided).rejection().orElseThrow()).rejection(rejection);
    }

    final CheckPart part(SetDecision.OfPart decided) {
        return parts.get(inSet.indexOf(decided.limiter()));
    }

    /** All permits stay charged. */
    private static final class Deciding extends SetStep<SetDecision> {

        Deciding(List<CheckPart> parts) {
            super(parts);
        }

        @Override
        SetDecision decide() {
            return set.decide(1, timeouts);
        }

        @Override
        CompletableFuture<SetDecision> decideAsync() {
            return set.async().decide(1, timeouts);
        }

        @Override
        SetDecision decision(SetDecision decided) {
            return decided;
        }

        @Override
        void refund(SetDecision decided) {
            decided.parts().forEach(each -> part(each).refund(each.decision()));
        }
    }

    /** Some permits are settled when the outcome of the call is known. */
    private static final class Reserving extends SetStep<SetReservation> {

        private final EngineLimitSet reserving;

        Reserving(List<CheckPart> parts) {
            super(parts);
            if (!(set instanceof EngineLimitSet ofEngine)) {
                throw new IllegalStateException(
                        "chargeOn and settle need limiters of a LimiterFactory of this library, was " + set);
            }
            this.reserving = ofEngine;
        }

        @Override
        SetReservation decide() {
            return reserving.reserveAndAwait(1, timeouts);
        }

        @Override
        CompletableFuture<SetReservation> decideAsync() {
            return reserving.reserveAndAwaitAsync(1, timeouts);
        }

        /** Reserves the permits where that is possible, so that no timer waits until they are due. In shadow mode it has one part. */
        @Override
        CompletableFuture<SetReservation> decideInShadow() {
            return parts.get(0).view() instanceof RateLimiter ? set.async().reserve(1, timeouts) : decideAsync();
        }

        @Override
        SetDecision decision(SetReservation decided) {
            return decided.decision();
        }

        /** Cancels them, so that they are not settled later too. */
        @Override
        void refund(SetReservation decided) {
            decided.cancelAsync();
        }

        @Override
        boolean settles(boolean byStatus) {
            return parts.stream().anyMatch(part -> settles(part, byStatus));
        }

        private static boolean settles(CheckPart part, boolean byStatus) {
            return part.charge() != null && part.charge().byStatus() == byStatus;
        }

        @Override
        CompletableFuture<@Nullable Void> settle(SetReservation decided, boolean byStatus, Outcome outcome) {
            List<CompletableFuture<?>> settled = new ArrayList<>(parts.size());
            for (int i = 0; i < parts.size() && decided.isGranted(); i++) {
                if (settles(parts.get(i), byStatus)) {
                    settled.add(settle(parts.get(i), decided.parts().get(i), outcome));
                }
            }
            return CompletableFuture.allOf(settled.toArray(CompletableFuture[]::new));
        }

        private static CompletableFuture<?> settle(CheckPart part, Reservation taken, Outcome outcome) {
            CompletableFuture<Boolean> settled;
            try {
                settled = taken.settleAsync(
                        outcome.status() == DecisionRecorder.REJECTED
                                ? 0
                                : Objects.requireNonNull(part.charge())
                                        .permits()
                                        .applyAsInt(outcome));
            } catch (RuntimeException e) {
                settled = CompletableFuture.failedFuture(e);
            }
            return settled.exceptionally(e -> {
                part.limit().log().notSettled(AsyncFailures.cause(e));
                return false;
            });
        }
    }
}
