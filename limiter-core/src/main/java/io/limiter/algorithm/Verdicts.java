package io.limiter.algorithm;

import io.limiter.step.Request;
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

    /** As above, on a request that may take fewer permits, or leave some: of those that it leaves, its caller has none. */
    static Verdict of(
            Request request,
            long taken,
            boolean granted,
            long limit,
            double remaining,
            long retryAfterMicros,
            long fullAfterMicros,
            long ticketMicros) {
        Verdict verdict = of(
                granted,
                Math.max(0, limit - request.leave()),
                remaining - request.leave(),
                retryAfterMicros,
                fullAfterMicros,
                ticketMicros);
        boolean isForLeave = !granted && request.leave() > 0 && remaining >= taken;
        return isForLeave || granted && request.takesFewer() ? verdict.withTaken(taken) : verdict;
    }
}
