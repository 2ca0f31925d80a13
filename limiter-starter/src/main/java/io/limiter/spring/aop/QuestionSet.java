package io.limiter.spring.aop;

import io.limiter.LimitPart;
import io.limiter.LimitSet;
import io.limiter.SetDecision;
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
        return decision.refusal()
                .map(refused -> questions.get(parts.indexOf(refused.part())).refusal(decision.decision()))
                .orElse(null);
    }
}
