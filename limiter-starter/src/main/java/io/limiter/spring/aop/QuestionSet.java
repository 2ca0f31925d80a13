package io.limiter.spring.aop;

import io.limiter.LimitPart;
import io.limiter.LimitSet;
import io.limiter.SetDecision;
import io.limiter.algorithm.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Limits of one call, all or nothing: a refusal by one takes nothing from the others. */
final class QuestionSet implements Asked<SetDecision> {

    private final List<Question> questions;
    private final List<LimitPart> parts;
    private final LimitSet set;

    /**
     * @param questions at least one
     */
    QuestionSet(List<Question> questions) {
        this.questions = questions;
        this.parts = new ArrayList<>(questions.size());
        for (Question question : questions) {
            parts.add(question.part());
        }
        this.set = parts.get(0).with(parts.subList(1, parts.size()));
    }

    @Override
    public SetDecision decide() {
        return set.decide(1);
    }

    @Override
    public CompletableFuture<SetDecision> decideAsync() {
        return set.decideAsync(1);
    }

    /** By the limit that refuses for longest. */
    @Override
    public @Nullable Refusal refusal(SetDecision decision) {
        DecisionRecorder recorder = questions.get(0).recorder();
        SetDecision.OfPart refused = decision.refusal().orElse(null);
        if (refused == null && recorder == null) {
            return null;
        }
        Decision whole = decision.decision();
        if (recorder != null) {
            List<LimitDecision> recorded = new ArrayList<>(parts.size());
            for (SetDecision.OfPart part : decision.parts()) {
                recorded.add(of(part).recorded(part.decision()));
            }
            recorder.decided(whole, recorded);
        }
        return refused == null ? null : of(refused).refused(whole);
    }

    private Question of(SetDecision.OfPart part) {
        return questions.get(parts.indexOf(part.part()));
    }
}
