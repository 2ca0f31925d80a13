package io.limiter.spring.web;

import io.limiter.LimitPart;
import io.limiter.RateLimitExceededException;
import io.limiter.SetDecision;
import io.limiter.algorithm.Decision;
import io.limiter.spi.AsyncFailures;
import io.limiter.spring.aop.DecisionRecorder;
import io.limiter.spring.aop.LimitDecision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a limit is asked for one request. */
public final class HttpQuestion {

    private final HttpLimit limit;
    private final @Nullable String owner;
    private final List<LimitPart> parts;

    HttpQuestion(HttpLimit limit, @Nullable String owner, List<LimitPart> parts) {
        this.limit = limit;
        this.owner = owner;
        this.parts = parts;
    }

    static SetDecision alone(LimitPart part, Decision decision) {
        return new SetDecision(List.of(new SetDecision.OfPart(part, decision)));
    }

    /** Whether the request depends on the answer; otherwise it is for {@link #tryOut}. */
    public boolean isEnforced() {
        return limit.isEnforced();
    }

    /**
     * Asks for a dry run: the permits are taken, or booked, and the request goes on at once. It waits neither for them nor for
     * Redis, and a failure is not its business but the log's, as a refusal is.
     */
    public void tryOut() {
        decideAsync().whenComplete((decision, error) -> {
            if (error != null) {
                limit.failed(AsyncFailures.cause(error));
            } else if (!decision.granted()) {
                limit.refused(whole(decision));
            }
        });
    }

    /** Waits for the permits if it has to. */
    public SetDecision decide() {
        return limit.decide(parts, owner);
    }

    /** As {@link #decide}, without blocking the calling thread. */
    public CompletableFuture<SetDecision> decideAsync() {
        return limit.decideAsync(parts, owner);
    }

    /** Records what was decided; {@code null} if the request goes on. */
    public @Nullable RateLimitExceededException refusal(SetDecision decision, DecisionRecorder recorder) {
        Decision whole = whole(decision);
        if (!whole.granted()) {
            limit.refused(whole);
        }
        recorder.decided(whole, decision.parts().stream().map(this::recorded).toList());
        return whole.granted()
                ? null
                : new RateLimitExceededException(
                        owner == null ? parts.get(0).limiter().name() : owner, whole);
    }

    private static Decision whole(SetDecision decision) {
        return decision.parts().size() == 1 ? decision.parts().get(0).decision() : decision.decision();
    }

    private LimitDecision recorded(SetDecision.OfPart part) {
        return new LimitDecision(
                limit.asked(part.part().limiter(), owner), part.part().limiter().limit(), part.decision());
    }
}
