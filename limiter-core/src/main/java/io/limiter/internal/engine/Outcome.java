package io.limiter.internal.engine;

import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.step.Verdict;

/**
 * What engines complete requests with: a verdict, whose ticket cancels what it grants, and what decided. A limiter makes the {@link
 * Decision} from it that its caller gets, which has no ticket.
 *
 * @param verdict what was decided
 * @param source what decided
 */
public record Outcome(Verdict verdict, Source source) {

    /** Of the backend. */
    public static Outcome of(Verdict verdict) {
        return new Outcome(verdict, Source.BACKEND);
    }

    /** This outcome from another source. */
    public Outcome withSource(Source newSource) {
        return new Outcome(verdict, newSource);
    }

    /** What the caller gets. */
    public Decision toDecision() {
        return Decision.of(verdict, source);
    }

    public boolean isGranted() {
        return verdict.isGranted();
    }

    public long limit() {
        return verdict.limit();
    }

    public long remaining() {
        return verdict.remaining();
    }

    public long waitMicros() {
        return verdict.waitMicros();
    }

    public long retryAfterMicros() {
        return verdict.retryAfterMicros();
    }

    public long fullAfterMicros() {
        return verdict.fullAfterMicros();
    }
}
