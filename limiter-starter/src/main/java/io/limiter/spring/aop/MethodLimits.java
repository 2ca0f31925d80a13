package io.limiter.spring.aop;

import io.limiter.spring.aop.result.LateResults;
import io.limiter.spring.aop.result.ResultKind;
import io.limiter.spring.check.Check;
import io.limiter.spring.check.CheckPart;
import io.limiter.spring.check.CheckResult;
import io.limiter.spring.check.CheckStep;
import io.limiter.spring.check.DecisionRecorder;
import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;

/**
 * The limits of one method. Rate limits are decided first, as a set, all or nothing. The concurrency limit comes next, so that
 * a call that is rejected for its rate neither waits for a lease nor takes one. Limits in shadow mode are evaluated after
 * these have granted.
 *
 * @param adapter of what the method returns; {@code null} if it is no publisher
 * @param limits at least one, concurrency limits last
 */
record MethodLimits(
        ResultKind kind, @Nullable ReactiveAdapter adapter, List<MethodLimit> limits, ApplicationBeans beans) {

    /** Whether the user must be known before the next call is checked. */
    boolean usesUser() {
        return limits.stream().anyMatch(limit -> limit.declared().usesUser());
    }

    /** Whether the form of the request must be known before the next call is checked. */
    boolean usesForm() {
        return limits.stream().anyMatch(limit -> limit.declared().needs().form());
    }

    /** Whether the caller must be known before the next call is checked. */
    boolean usesCaller() {
        return limits.stream()
                .anyMatch(limit -> limit.declared().usesUser()
                        || !limit.declared().needs().facts().isEmpty());
    }

    /**
     * The check of a call. All keys and costs are evaluated before the first limit is decided.
     *
     * @throws io.limiter.spring.key.MissingLimitKeyException if the call has no key for a limit that is enforced
     * @throws io.limiter.spring.key.InvalidLimitArgumentException if its arguments make no cost or condition for one
     */
    Check check(MethodInvocation call) {
        return check(call, beans.recorder());
    }

    /** @param recorder of the decisions; {@code null} if they are not recorded */
    Check check(MethodInvocation call, @Nullable DecisionRecorder recorder) {
        List<CheckStep<?>> steps = new ArrayList<>(limits.size());
        for (MethodLimit limit : limits) {
            CheckStep<?> step = limit.step(call, recorder);
            if (step instanceof CheckPart part && part.isRepeated()) {
                return new Check(List.of(part), recorder);
            }
            if (step != null) {
                steps.add(step);
            }
        }
        return new Check(CheckStep.inOrder(steps), recorder);
    }

    /**
     * Checks a result of a call: if it holds permits, these are released now, so its work must be done.
     *
     * @param value the result, or a value of the future or the publisher that is the result
     * @throws IllegalStateException if the work is done later, and the limit is enforced; otherwise that is logged
     */
    void checkDone(CheckResult permit, @Nullable Object value) {
        if (!permit.isHolding()) {
            return;
        }
        MethodLimit held = limits.get(limits.size() - 1);
        IllegalStateException late = LateResults.failure(held.declared().where(), value, LateResults.Use.LEASE);
        if (late != null) {
            MethodLimit.failed(held.forCall(), late);
        }
    }
}
