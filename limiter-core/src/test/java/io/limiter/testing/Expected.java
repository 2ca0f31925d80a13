package io.limiter.testing;

import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.internal.engine.Outcome;
import io.limiter.step.Verdict;

/** Verdicts and decisions by their values, to compare them. */
public final class Expected {

    private Expected() {}

    public static Verdict verdict(
            boolean granted, long limit, long remaining, long waitMicros, long retryAfterMicros, long fullAfterMicros) {
        return (granted
                        ? Verdict.granted(limit, remaining, fullAfterMicros)
                        : Verdict.rejected(limit, remaining, retryAfterMicros, fullAfterMicros))
                .withWaitMicros(waitMicros)
                .withRetryAfterMicros(retryAfterMicros);
    }

    public static Outcome outcome(
            boolean granted, long limit, long remaining, long waitMicros, long retryAfterMicros, long fullAfterMicros) {
        return Outcome.of(verdict(granted, limit, remaining, waitMicros, retryAfterMicros, fullAfterMicros));
    }

    public static Decision decision(
            boolean granted, long limit, long remaining, long waitMicros, long retryAfterMicros, long fullAfterMicros) {
        return decision(granted, limit, remaining, waitMicros, retryAfterMicros, fullAfterMicros, Source.BACKEND);
    }

    public static Decision decision(
            boolean granted,
            long limit,
            long remaining,
            long waitMicros,
            long retryAfterMicros,
            long fullAfterMicros,
            Source source) {
        return Decision.of(verdict(granted, limit, remaining, waitMicros, retryAfterMicros, fullAfterMicros), source);
    }
}
