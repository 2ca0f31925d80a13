package io.limiter.algorithm;

import io.limiter.step.Verdict;

/** Verdicts of limits without reservations, where a caller waits only to retry. */
final class Verdicts {

    private Verdicts() {}

    static Verdict of(
            boolean granted,
            long limit,
            double remaining,
            long retryAfterMicros,
            long fullAfterMicros,
            long ticketMicros) {
        long left = (long) Math.max(0.0, remaining);
        Verdict verdict = granted
                ? Verdict.granted(limit, left, fullAfterMicros)
                : Verdict.rejected(limit, left, retryAfterMicros, fullAfterMicros);
        return ticketMicros == 0 ? verdict : verdict.withTicketMicros(ticketMicros);
    }
}
