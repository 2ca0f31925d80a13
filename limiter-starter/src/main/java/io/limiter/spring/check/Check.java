package io.limiter.spring.check;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One evaluation of the limits of a call or a request, with all keys and costs. Each run takes permits.
 *
 * <p>The steps are decided one after the other. The first rejection ends the check, and permits that earlier steps took stay
 * spent. Only if a concurrency limit rejects or cannot decide, they are refunded. A step in shadow mode is started, and
 * the check does not wait for it.
 */
public final class Check {

    private final List<CheckStep<?>> steps;
    private final @Nullable DecisionRecorder recorder;

    /**
     * @param steps in the order in which they are decided; may be empty
     * @param recorder of the decisions that are enforced; {@code null} if they are not recorded
     */
    public Check(List<CheckStep<?>> steps, @Nullable DecisionRecorder recorder) {
        this.steps = steps;
        this.recorder = recorder;
    }

    /**
     * Runs the check, and waits for permits up to their timeouts.
     *
     * @throws io.limiter.LimiterBackendException if the backend does not decide and the failure policy is to throw
     */
    public CheckResult run() {
        if (steps.isEmpty()) {
            return CheckResult.GRANTED;
        }
        CheckRun run = new CheckRun(steps, recorder);
        for (CheckStep<?> step = run.next(); step != null; step = run.next()) {
            Rejection rejection = run(step, run);
            if (rejection != null) {
                return CheckResult.rejected(rejection);
            }
        }
        return run.granted();
    }

    private static <D> @Nullable Rejection run(CheckStep<D> step, CheckRun run) {
        D decided;
        try {
            decided = step.decide();
        } catch (RuntimeException | Error e) {
            run.failed(step);
            throw e;
        }
        return run.decided(step, decided);
    }

    /**
     * As {@link #run}, without blocking the calling thread. Cancelling the future cancels the decision that is under way,
     * as {@link io.limiter.Limiter.Async} says, and releases what the check holds.
     */
    public CompletableFuture<CheckResult> runAsync() {
        return AsyncCheck.start(new CheckRun(steps, recorder));
    }
}
