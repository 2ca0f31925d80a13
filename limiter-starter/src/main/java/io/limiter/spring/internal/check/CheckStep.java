package io.limiter.spring.internal.check;

import io.limiter.Lease;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.spring.internal.web.usage.UsageReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One or several limits that a check decides together, all or nothing, and the permits that it has taken. A step is decided once. An
 * asynchronous decision can be read when its future is completed.
 */
abstract class CheckStep {

    private final CallLimit limit;

    CheckStep(CallLimit limit) {
        this.limit = limit;
    }

    /** The step of one limit alone. A charge needs a reservation, which a set makes; an earlier rejection is repeated without a decision. */
    private static CheckStep alone(CheckPart part) {
        return part.charge() != null && !part.isRepeated() ? new SetStep(List.of(part)) : part;
    }

    /**
     * The steps in the order of their decisions: the permits that are spent and enforced, as a set, or one after the other if no set can
     * have them, because two of them are the same permits, or they are of several factories; then the permits that are held; then those
     * in shadow mode.
     */
    static List<CheckStep> inOrder(List<CheckPart> parts) {
        if (parts.size() == 1) {
            return List.of(alone(parts.get(0)));
        }
        List<CheckPart> enforced = new ArrayList<>(parts.size());
        List<CheckStep> later = new ArrayList<>(parts.size());
        for (CheckPart part : parts) {
            if (part.isHolding()) {
                later.add(0, part);
            } else if (part.limit().enforced()) {
                enforced.add(part);
            } else {
                later.add(alone(part));
            }
        }
        List<CheckStep> inOrder = new ArrayList<>(parts.size());
        SetStep all = enforced.size() > 1 ? set(enforced) : null;
        if (all == null) {
            enforced.forEach(part -> inOrder.add(alone(part)));
        } else {
            inOrder.add(all);
        }
        inOrder.addAll(later);
        return inOrder;
    }

    /** {@code null} if there can be no set of the parts. */
    private static @Nullable SetStep set(List<CheckPart> parts) {
        if (parts.stream().map(part -> part.request().permitsId()).distinct().count() < parts.size()) {
            return null;
        }
        try {
            return new SetStep(parts);
        } catch (IllegalArgumentException e) {
            // An application may have factories of its own.
            return null;
        }
    }

    /** The limit; the first one of several. */
    final CallLimit limit() {
        return limit;
    }

    /** The same step, to be decided again. */
    abstract CheckStep again();

    /** Decides, and waits for the permits up to the timeout. */
    abstract void decide();

    /** As {@link #decide}, without blocking the calling thread. Cancelling the future ends the wait for the permits. */
    abstract CompletableFuture<?> decideAsync();

    /** The rejection for the caller; {@code null} if all limits granted. */
    abstract @Nullable Rejection rejection();

    /** The decision of each limit. */
    abstract List<LimitDecision> decisions();

    /** The lease of permits that were granted and are held; {@code null} if they are spent. */
    @Nullable
    Lease lease() {
        return null;
    }

    /** Whether permits are held and not spent. */
    boolean isHolding() {
        return false;
    }

    /** Prepares that the spent permits, which were just granted, can be cancelled. */
    void keep() {}

    /** Returns the spent permits of a call that is not made, once and without waiting. */
    abstract void cancel();

    /** Whether it {@linkplain #settle settles} permits with such outcomes. */
    boolean settles(Charge.When when) {
        return false;
    }

    /** What reads the response for the permits that are settled when its body has ended. */
    List<UsageReader> readers() {
        return List.of();
    }

    /** Settles the permits at what the outcome of the call or its response charges. The future does not fail. */
    CompletableFuture<@Nullable Void> settle(Charge.When when, CallOutcome outcome) {
        return CheckResult.CLOSED;
    }

    /**
     * Evaluates limits in shadow mode. The permits are taken, and the call waits neither for them nor for the decision; a
     * rejection or a failure is logged.
     */
    final CompletableFuture<?> shadow() {
        CompletableFuture<?> decision;
        try {
            decision = decideInShadow();
        } catch (RuntimeException e) {
            limit.log().failed(e);
            return CompletableFuture.failedFuture(e);
        }
        decision.whenComplete((decided, error) -> {
            if (error == null) {
                Rejection rejection = rejection();
                if (rejection != null) {
                    limit.log().rejected(rejection.decision());
                }
            } else if (!decision.isCancelled()) {
                limit.log().failed(AsyncFailures.cause(error));
            }
        });
        return decision;
    }

    /** As {@link #decideAsync}, perhaps without waiting until permits are due. */
    CompletableFuture<?> decideInShadow() {
        return decideAsync();
    }
}
