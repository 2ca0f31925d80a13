package io.limiter.spring.check;

import io.limiter.LimitPart;
import io.limiter.LimitSet;
import io.limiter.SetDecision;
import io.limiter.algorithm.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Takes the permits of a set of limits, all or nothing. */
final class SetStep extends CheckStep<SetDecision> {

    private final List<CheckPart> parts;
    private final List<LimitPart> inSet;
    private final LimitSet set;

    SetStep(List<CheckPart> parts) {
        super(parts.get(0).limit());
        this.parts = parts;
        this.inSet = new ArrayList<>(parts.size());
        for (CheckPart part : parts) {
            inSet.add(part.inSet());
        }
        this.set = inSet.get(0).with(inSet.subList(1, inSet.size()));
    }

    @Override
    SetDecision decide() {
        return set.decide(1);
    }

    @Override
    CompletableFuture<SetDecision> decideAsync() {
        return set.decideAsync(1);
    }

    @Override
    @Nullable
    Decision rejectionIn(SetDecision decided) {
        return decided.granted() ? null : decided.decision();
    }

    @Override
    List<LimitDecision> decisionsIn(SetDecision decided) {
        List<LimitDecision> decisions = new ArrayList<>(parts.size());
        for (SetDecision.OfPart each : decided.parts()) {
            decisions.add(part(each).decided(each.decision()));
        }
        return decisions;
    }

    @Override
    Rejection rejection(SetDecision decided, Decision rejection) {
        return part(decided.refusal().orElseThrow()).rejection(rejection);
    }

    @Override
    void refund(SetDecision decided) {
        decided.parts().forEach(each -> part(each).refund(each.decision()));
    }

    private CheckPart part(SetDecision.OfPart decided) {
        return parts.get(inSet.indexOf(decided.part()));
    }
}
