package io.limiter.spring.aop;

import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one method: the one place, with {@link Asking}, that says how several are asked.
 *
 * @param limits in the order in which they are asked, at least one
 */
record BoundLimits(CallStyle style, List<BoundLimit> limits) {

    /** Asks one after the other, until the first refusal; {@code null} if the call can go on. */
    @Nullable
    Refusal take(MethodInvocation call) {
        for (BoundLimit limit : limits) {
            Refusal refusal = limit.take(call);
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    /**
     * What the limits are to be asked, for calls that do not wait for the answers; see {@link Asking}. Unlike
     * {@link #take}, all keys are found before the first limit is asked.
     */
    List<Question> questions(MethodInvocation call) {
        List<Question> questions = new ArrayList<>(limits.size());
        for (BoundLimit limit : limits) {
            Question question = limit.question(call);
            if (question != null) {
                questions.add(question);
            }
        }
        return questions;
    }
}
