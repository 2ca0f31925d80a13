package io.limiter.spring.check;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.SetDecision;
import io.limiter.algorithm.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Takes the permits of a set of limits, all or nothing. */
final class SetStep extends CheckStep<SetDecision> {

    private final List<CheckPart> parts;
    private final List<Limiter> inSet;
    private final LimitSet set;
    private final Duration[] timeouts;

    SetStep(List<CheckPart> parts) {
        super(parts.get(0).limit());
        this.parts = parts;
        this.inSet = new ArrayList<>(parts.size());
        LimitSet all = null;
        for (CheckPart part : parts) {
            Limiter limiter = part.view();
            int permits = part.request().permits();
            inSet.add(limiter);
            all = all == null ? LimitSet.of(limiter, permits) : all.and(limiter, permits);
        }
        this.set = Objects.requireNonNull(all);
        this.timeouts = parts.stream().map(CheckPart::timeout).toArray(Duration[]::new);
    }

    @Override
    SetDecision decide() {
        return set.decide(1, timeouts);
    }

    @Override
    CompletableFuture<SetDecision> decideAsync() {
        return set.async().decide(1, timeouts);
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
        return part(decided.rejection().orElseThrow()).rejection(rejection);
    }

    @Override
    void refund(SetDecision decided) {
        decided.parts().forEach(each -> part(each).refund(each.decision()));
    }

    private CheckPart part(SetDecision.OfPart decided) {
        return parts.get(inSet.indexOf(decided.limiter()));
    }
}
