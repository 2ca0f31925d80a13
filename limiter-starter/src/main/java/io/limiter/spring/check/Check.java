package io.limiter.spring.check;

import io.limiter.Lease;
import io.limiter.internal.backend.AsyncFailures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One evaluation of the limits of a call or a request, with all keys and costs. It runs once, used by one thread at a time.
 *
 * <p>The steps are decided one after the other. The first rejection ends the check, and permits that earlier steps took stay
 * spent. Only if a concurrency limit rejects or cannot decide, they are refunded. A step in shadow mode is started, and
 * the check does not wait for it. Permits with a {@link Charge} are settled when the outcome of the call is known.
 */
public final class Check {

    private final List<CheckStep<?>> steps;
    private final @Nullable DecisionRecorder recorder;

    /** Whether a step holds permits, so that its rejection refunds those of the others. */
    private final boolean holds;

    private int next;
    private @Nullable List<Granted<?>> granted;
    private @Nullable Lease lease;
    private @Nullable Runnable shadowRelease;
    private List<Function<Outcome, CompletableFuture<@Nullable Void>>> settlements = List.of();

    /**
     * @param steps in the order in which they are decided; may be empty
     * @param recorder of the decisions that are enforced; {@code null} if they are not recorded
     */
    public Check(List<CheckStep<?>> steps, @Nullable DecisionRecorder recorder) {
        this.steps = steps;
        this.recorder = recorder;
        boolean anyHolds = false;
        for (CheckStep<?> step : steps) {
            anyHolds |= step.isHolding() && step.limit().enforced();
        }
        this.holds = anyHolds;
    }

    /** Another evaluation, with the same keys and costs. */
    public Check again() {
        return new Check(steps, recorder);
    }

    /**
     * Runs the check, and waits for permits up to their timeouts.
     *
     * @throws io.limiter.LimiterBackendException if the backend does not decide and the failure policy is to throw
     */
    public CheckResult run() {
        for (CheckStep<?> step = next(); step != null; step = next()) {
            Rejection rejection = run(step);
            if (rejection != null) {
                return CheckResult.rejected(rejection);
            }
        }
        return granted();
    }

    private <D> @Nullable Rejection run(CheckStep<D> step) {
        D decided;
        try {
            decided = step.decide();
        } catch (RuntimeException | Error e) {
            failed(step);
            throw e;
        }
        return decided(step, decided);
    }

    /**
     * As {@link #run}, without blocking the calling thread. Cancelling the future cancels the decision that is under way,
     * as {@link io.limiter.Limiter.Async} says, and releases what the check holds.
     */
    public CompletableFuture<CheckResult> runAsync() {
        CancellingFuture<CheckResult> running = new CancellingFuture<>();
        goOn(running);
        return running;
    }

    /** A step that granted permits, which may be refunded. */
    private record Granted<D>(CheckStep<D> step, D decided) {

        List<LimitDecision> decisions() {
            return step.decisionsIn(decided);
        }

        void refund() {
            step.refund(decided);
        }
    }

    /** The next step to be decided; {@code null} if all have granted. Starts the steps in shadow mode before it. */
    private @Nullable CheckStep<?> next() {
        while (next < steps.size()) {
            CheckStep<?> step = steps.get(next++);
            if (step.limit().enforced()) {
                return step;
            }
            shadow(step);
        }
        return null;
    }

    private <D> void shadow(CheckStep<D> step) {
        CompletableFuture<D> decision = step.shadow();
        settleLater(step, decision);
        if (step.isHolding()) {
            shadowRelease = () -> release(step, decision);
        }
    }

    /** Releases permits that a step in shadow mode holds or will hold. Does not wait, because nothing is enforced. */
    private static <D> void release(CheckStep<D> step, CompletableFuture<D> decision) {
        if (!decision.cancel(false)) {
            decision.thenAccept(decided -> {
                Lease held = step.leaseIn(decided);
                if (held != null) {
                    held.closeAsync();
                }
            });
        }
    }

    /** Prepares that permits are settled when the call is done, or its response. The caller does not wait for those in shadow mode. */
    private <D> void settleLater(CheckStep<D> step, CompletableFuture<D> decision) {
        if (step.settles(false)) {
            settlements = new ArrayList<>(settlements);
            settlements.add(outcome -> {
                CompletableFuture<@Nullable Void> settled =
                        decision.thenCompose(decided -> step.settle(decided, false, outcome));
                return step.limit().enforced() ? settled : CheckResult.CLOSED;
            });
        }
        if (recorder != null && step.settles(true)) {
            recorder.whenDone(
                    status -> decision.thenAccept(decided -> step.settle(decided, true, Outcome.answered(status))));
        }
    }

    /** Records the decision of a step, and returns the rejection; {@code null} if it granted. */
    private <D> @Nullable Rejection decided(CheckStep<D> step, D decided) {
        Rejection rejection = step.rejectionIn(decided);
        if (rejection == null && (step.settles(false) || step.settles(true))) {
            settleLater(step, CompletableFuture.completedFuture(decided));
        }
        if (rejection == null && holds && !step.isHolding()) {
            if (granted == null) {
                granted = new ArrayList<>(1);
            }
            granted.add(new Granted<>(step, decided));
            return null;
        }
        boolean refunds = rejection != null && step.isHolding();
        if (recorder != null) {
            recorder.decided(rejection == null ? null : rejection.decision(), decisions(step, decided, refunds));
        }
        if (rejection == null) {
            lease = step.leaseIn(decided);
            return null;
        }
        if (refunds) {
            refund();
        }
        if (!rejection.repeated()) {
            rejection.limit().log().rejected(rejection.decision());
        }
        return rejection;
    }

    /** The decisions of a step, and of the earlier ones that are not recorded yet. */
    private <D> List<LimitDecision> decisions(CheckStep<D> step, D decided, boolean refunds) {
        List<LimitDecision> own = step.decisionsIn(decided);
        if (granted == null) {
            return own;
        }
        List<LimitDecision> all = new ArrayList<>();
        for (Granted<?> each : granted) {
            each.decisions().forEach(earlier -> all.add(refunds ? earlier.refunded() : earlier));
        }
        all.addAll(own);
        return all;
    }

    /** Refunds permits if a step that holds permits could not be decided. */
    private void failed(CheckStep<?> step) {
        if (step.isHolding()) {
            refund();
        }
    }

    private void refund() {
        if (granted != null) {
            granted.forEach(Granted::refund);
            granted = null;
        }
    }

    /** The result when all steps have granted. */
    private CheckResult granted() {
        return CheckResult.granted(lease, shadowRelease, settlements);
    }

    /** Refunds and releases all permits, because the check was cancelled. */
    private void cancelled() {
        refund();
        granted().closeAsync(null);
    }

    /** Goes on without a thread that waits. */
    private void goOn(CancellingFuture<CheckResult> running) {
        try {
            if (running.isCancelled()) {
                cancelled();
                return;
            }
            CheckStep<?> step = next();
            if (step != null) {
                decide(step, running);
            } else if (!running.complete(granted())) {
                cancelled();
            }
        } catch (RuntimeException | Error e) {
            running.completeExceptionally(e);
        }
    }

    private <D> void decide(CheckStep<D> step, CancellingFuture<CheckResult> running) {
        CompletableFuture<D> decision;
        try {
            decision = step.decideAsync();
        } catch (RuntimeException | Error e) {
            failed(step);
            throw e;
        }
        running.await(decision);
        decision.whenComplete((decided, error) -> {
            try {
                if (error != null) {
                    failed(step);
                    running.completeExceptionally(AsyncFailures.cause(error));
                    return;
                }
                Rejection rejection = decided(step, decided);
                if (rejection == null) {
                    goOn(running);
                } else {
                    running.complete(CheckResult.rejected(rejection));
                }
            } catch (RuntimeException | Error e) {
                running.completeExceptionally(e);
            }
        });
    }
}
