package io.limiter.spring.aop;

import io.limiter.LimitPart;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Decision;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a limit is to be asked for one call: all that has to be found in the thread of the call.
 *
 * @param owner {@code null} if all callers share the permits
 * @param slot {@code null} if the owner decides it
 * @param permits at least 1
 * @param recorder hears of the decision; {@code null} if nobody needs to
 * @param earlier a refusal that goes for this call too; {@code null} if there is none
 */
record Question(
        BoundLimit limit,
        Limiter limiter,
        @Nullable String owner,
        @Nullable String slot,
        int permits,
        @Nullable DecisionRecorder recorder,
        @Nullable Decision earlier)
        implements Asked<Decision> {

    @Override
    public Decision decide() {
        if (earlier != null) {
            return earlier;
        }
        return owner == null ? limiter.decide(permits) : limiter.decide(owner, permits);
    }

    @Override
    public CompletableFuture<Decision> decideAsync() {
        if (earlier != null) {
            return CompletableFuture.completedFuture(earlier);
        }
        return owner == null ? limiter.decideAsync(permits) : limiter.decideAsync(owner, permits);
    }

    /** The same, to be asked together with others. */
    LimitPart part() {
        LimitPart part = owner == null ? limiter.own() : limiter.on(owner);
        LimitPart taken = part.permits(permits);
        return slot == null ? taken : taken.inSlot(slot);
    }

    /** The same, by itself. A slot is named only in sets, so there it is one of one. */
    Asked<?> alone() {
        Asked<?> asked = slot == null ? this : new QuestionSet(List.of(this));
        return limit.isEnforced() ? asked : triedOut(asked);
    }

    private TriedOut<?> triedOut(Asked<?> asked) {
        return asked == this && limiter instanceof RateLimiter rates
                ? new TriedOut<>(new DryRunQuestion(this, rates), limit)
                : new TriedOut<>(asked, limit);
    }

    /** Whether both draw from the same permits. */
    boolean sharesPermitsWith(Question other) {
        return limit.sharesPermitsWith(other.limit)
                && Objects.equals(owner, other.owner)
                && Objects.equals(slot, other.slot);
    }

    @Override
    public @Nullable Refusal refusal(Decision decision) {
        if (recorder != null) {
            recorder.decided(decision, List.of(recorded(decision)));
        }
        return refused(decision);
    }

    /** What a limit that was asked by this answered. */
    LimitDecision recorded(Decision decision) {
        return new LimitDecision(limit.asked(owner, slot, permits), limiter.limit(), decision);
    }

    /** As {@link #refusal}, of a decision that is already recorded. */
    @Nullable
    Refusal refused(Decision decision) {
        return decision.granted() ? null : limit.refusal(owner, decision, earlier != null);
    }
}
