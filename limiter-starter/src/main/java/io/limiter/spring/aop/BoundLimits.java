package io.limiter.spring.aop;

import io.limiter.spring.annotation.LimitType;
import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one method, and how several are asked: together, all or nothing. A dry run refuses nobody, so it is asked
 * by itself, once the others let the call through.
 *
 * @param limits at least one
 */
record BoundLimits(CallStyle style, List<BoundLimit> limits) {

    /** Takes the permits of one call; {@code null} if it can go on. */
    @Nullable
    Refusal take(MethodInvocation call) {
        if (limits.size() == 1) {
            Question question = limits.get(0).question(call);
            return question == null ? null : question.alone().take();
        }
        for (Asked<?> asked : asked(call)) {
            Refusal refusal = asked.take();
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    /** Whether it matters who the user is. */
    boolean byUser() {
        return limits.stream().anyMatch(limit -> limit.declared().type() == LimitType.USER);
    }

    /** What is to be asked for a call, one after the other; all keys are found before the first limit is asked. */
    List<Asked<?>> asked(MethodInvocation call) {
        List<Question> enforced = new ArrayList<>(limits.size());
        List<Asked<?>> asked = new ArrayList<>(limits.size());
        for (BoundLimit limit : limits) {
            Question question = limit.question(call);
            if (question != null) {
                if (question.earlier() != null) {
                    return List.of(question);
                }
                if (limit.isEnforced()) {
                    enforced.add(question);
                } else {
                    asked.add(question.alone());
                }
            }
        }
        if (enforced.size() > 1 && areApart(enforced)) {
            asked.add(0, new QuestionSet(enforced));
        } else {
            asked.addAll(0, enforced.stream().map(Question::alone).toList());
        }
        return asked;
    }

    /** Keys that are found at run time can turn out to be the same permits twice, which no set can have. */
    private static boolean areApart(List<Question> questions) {
        for (int i = 1; i < questions.size(); i++) {
            Question one = questions.get(i);
            for (Question other : questions.subList(0, i)) {
                if (one.sharesPermitsWith(other)) {
                    return false;
                }
            }
        }
        return true;
    }
}
