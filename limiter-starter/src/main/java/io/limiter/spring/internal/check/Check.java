package io.limiter.spring.internal.check;

import io.limiter.Lease;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.spring.internal.web.usage.UsageReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One evaluation of the limits of a call or a request, with all keys and costs. It runs once, used by one thread at a time.
 *
 * <p>The steps are decided one after the other. The first one that rejects or cannot decide ends the check, and exactly what
 * earlier steps took is cancelled. A step in shadow mode is started, and the check does not wait for it. Permits with a
 * {@link Charge} are settled when the outcome of the call is known. Permits of a request are cancelled if its response says that
 * another check has rejected it.
 */
public final class Check {

    private final List<CheckStep> steps;
    private final @Nullable DecisionRecorder recorder;

    private final boolean ofRequest;

    /** The number of steps up to the last one that can reject. */
    private final int enforced;

    private int next;
    private @Nullable List<CheckStep> granted;
    private @Nullable Lease lease;
    private @Nullable Runnable shadowRelease;
    private List<Function<CallOutcome, CompletableFuture<@Nullable Void>>> settlements = List.of();

    /** @param steps in the order in which they are decided; may be empty */
    Check(List<CheckStep> steps, @Nullable DecisionRecorder recorder, boolean ofRequest) {
        this.steps = steps;
        this.recorder = recorder;
        this.ofRequest = ofRequest;
        int last = 0;
        for (int i = 0; i < steps.size(); i++) {
            last = steps.get(i).limit().enforced() ? i + 1 : last;
        }
        this.enforced = last;
    }

    /**
     * The check of a call of a method, or of an outgoing call. The keys and costs of all rules are evaluated before the first limit is
     * decided. A rejection by an earlier dispatch of the call's request is repeated.
     *
     * @param rules that apply to the call
     * @param recorder of the decisions that are enforced; {@code null} if they are not recorded
     * @throws io.limiter.spring.key.MissingLimitKeyException if the call has no key for a limit that is enforced
     * @throws io.limiter.spring.key.InvalidLimitArgumentException if the call makes no cost or condition for one
     */
    public static Check of(List<Rule> rules, Facts facts, @Nullable DecisionRecorder recorder) {
        List<CheckPart> parts = new ArrayList<>(rules.size());
        for (Rule rule : rules) {
            for (CheckPart part : rule.parts(facts, recorder, true)) {
                if (part.isRepeated()) {
                    return new Check(List.of(part), recorder, false);
                }
                parts.add(part);
            }
        }
        return new Check(CheckStep.inOrder(parts), recorder, false);
    }

    /**
     * The check of a request, whose permits are cancelled if a later check rejects the request. The keys and costs of all rules are
     * evaluated before the first limit is decided.
     *
     * @param rules that match the request at one position, such as before Spring Security
     * @throws io.limiter.spring.key.MissingLimitKeyException if the request has no key for a limit that is enforced
     * @throws io.limiter.spring.key.InvalidLimitArgumentException if the request makes no cost or condition for one
     */
    public static Check ofRequest(List<Rule> rules, Facts facts, DecisionRecorder recorder) {
        List<CheckPart> parts = new ArrayList<>(rules.size());
        rules.forEach(rule -> parts.addAll(rule.parts(facts, recorder, false)));
        return new Check(CheckStep.inOrder(parts), recorder, true);
    }

    /** Another evaluation, with the same keys and costs. */
    public Check again() {
        return new Check(steps.stream().map(CheckStep::again).toList(), recorder, ofRequest);
    }

    /**
     * Runs the check, and waits for permits up to their timeouts.
     *
     * @throws io.limiter.LimiterBackendException if the backend does not decide and the failure policy is to throw
     */
    public CheckResult run() {
        for (CheckStep step = next(); step != null; step = next()) {
            Rejection rejection = run(step);
            if (rejection != null) {
                return CheckResult.rejected(rejection);
            }
        }
        return granted();
    }

    private @Nullable Rejection run(CheckStep step) {
        try {
            step.decide();
        } catch (RuntimeException | Error e) {
            refund();
            throw e;
        }
        return decided(step);
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

    /** The next step to be decided; {@code null} if all have granted. Starts the steps in shadow mode before it. */
    private @Nullable CheckStep next() {
        while (next < steps.size()) {
            CheckStep step = steps.get(next++);
            if (step.limit().enforced()) {
                return step;
            }
            shadow(step);
        }
        return null;
    }

    private void shadow(CheckStep step) {
        CompletableFuture<?> decision = step.shadow();
        settleLater(step, decision);
        if (step.isHolding()) {
            shadowRelease = () -> release(step, decision);
        }
    }

    /** Releases permits that a step in shadow mode holds or will hold. Does not wait, because nothing is enforced. */
    private static void release(CheckStep step, CompletableFuture<?> decision) {
        if (!decision.cancel(false)) {
            decision.thenRun(() -> {
                Lease held = step.lease();
                if (held != null) {
                    held.closeAsync();
                }
            });
        }
    }

    /** Prepares that permits are settled when the call is done, or its response. The caller does not wait for those in shadow mode. */
    private void settleLater(CheckStep step, CompletableFuture<?> decision) {
        boolean enforced = step.limit().enforced();
        if (step.settles(Charge.When.RETURN)) {
            settlements = new ArrayList<>(settlements);
            settlements.add(outcome -> {
                CompletableFuture<@Nullable Void> settled =
                        decision.thenCompose(decided -> step.settle(Charge.When.RETURN, outcome));
                return enforced ? settled : CheckResult.CLOSED;
            });
        }
        if (recorder != null && (ofRequest || step.settles(Charge.When.STATUS))) {
            recorder.whenDone(status -> decision.thenRun(() -> {
                if (status != DecisionRecorder.REJECTED || !ofRequest) {
                    step.settle(Charge.When.STATUS, CallOutcome.answered(status));
                    return;
                }
                step.cancel();
                if (enforced) {
                    recorder.cancelled(step.decisions().stream()
                            .map(LimitDecision::refunded)
                            .toList());
                }
            }));
        }
        List<UsageReader> readers = recorder == null ? List.of() : step.readers();
        if (recorder != null && !readers.isEmpty()) {
            recorder.whenRead(
                    readers,
                    status -> decision.thenRun(() -> step.settle(Charge.When.BODY, CallOutcome.answered(status))));
        }
    }

    /** Records the decision of a step, and returns the rejection; {@code null} if it granted. */
    private @Nullable Rejection decided(CheckStep step) {
        Rejection rejection = step.rejection();
        if (rejection == null) {
            boolean mayReject = next < enforced;
            if (mayReject || ofRequest || step.settles(Charge.When.RETURN) || step.settles(Charge.When.STATUS)) {
                keep(step, mayReject);
            }
            Lease held = step.lease();
            lease = held == null ? lease : held;
            if (mayReject) {
                return null;
            }
        }
        if (recorder != null) {
            recorder.decided(rejection == null ? null : rejection.decision(), decisions(step, rejection != null));
        }
        if (rejection == null) {
            return null;
        }
        refund();
        if (!rejection.repeated()) {
            rejection.limit().log().rejected(rejection.decision());
        }
        return rejection;
    }

    /** Keeps a step that granted, to cancel or to settle what it took. */
    private void keep(CheckStep step, boolean mayReject) {
        step.keep();
        if (mayReject) {
            if (granted == null) {
                granted = new ArrayList<>(1);
            }
            granted.add(step);
        }
        settleLater(step, CheckResult.CLOSED);
    }

    /** The decisions of a step, and of the earlier ones that are not recorded yet. */
    private List<LimitDecision> decisions(CheckStep step, boolean refunds) {
        List<LimitDecision> own = step.decisions();
        if (granted == null) {
            return own;
        }
        List<LimitDecision> all = new ArrayList<>();
        for (CheckStep each : granted) {
            each.decisions().forEach(earlier -> all.add(refunds ? earlier.refunded() : earlier));
        }
        all.addAll(own);
        return all;
    }

    /** Returns what the steps took, because the call is not made. */
    private void refund() {
        if (granted != null) {
            granted.forEach(CheckStep::cancel);
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
            CheckStep step = next();
            if (step != null) {
                decide(step, running);
            } else if (!running.complete(granted())) {
                cancelled();
            }
        } catch (RuntimeException | Error e) {
            running.completeExceptionally(e);
        }
    }

    private void decide(CheckStep step, CancellingFuture<CheckResult> running) {
        CompletableFuture<?> decision;
        try {
            decision = step.decideAsync();
        } catch (RuntimeException | Error e) {
            refund();
            throw e;
        }
        running.await(decision);
        decision.whenComplete((decided, error) -> {
            try {
                if (error != null) {
                    refund();
                    running.completeExceptionally(AsyncFailures.cause(error));
                    return;
                }
                Rejection rejection = decided(step);
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
