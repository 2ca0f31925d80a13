package io.limiter.testing;

import io.limiter.step.Verdict;

/**
 * One line of a trace: a request and its decision. Times are seconds, and count from {@link #EPOCH_MICROS}.
 *
 * @param decision {@code G} for granted, {@code G 2.0} for granted after 2 s, {@code R 2.0} for rejected with a retry-after of
 *     2 s, {@code R never}
 */
public record TraceLine(double second, long permits, double timeout, String decision) {

    /** A realistic moment, where doubles of milliseconds are as coarse as they are in production. */
    public static final long EPOCH_MICROS = 1_763_650_000_123_456L;

    public static TraceLine at(double second, long permits, double timeout, String decision) {
        return new TraceLine(second, permits, timeout, decision);
    }

    public long nowMicros() {
        return EPOCH_MICROS + Math.round(second * 1e6);
    }

    public long timeoutMicros() {
        return Math.round(timeout * 1e6);
    }

    public TraceLine decided(Verdict made) {
        return new TraceLine(second, permits, timeout, text(made));
    }

    private static String text(Verdict decision) {
        if (decision.isGranted()) {
            return decision.waitMicros() == 0 ? "G" : "G " + decision.waitMicros() / 1e6;
        }
        boolean never = decision.retryAfterMicros() == Verdict.NEVER_MICROS;
        return never ? "R never" : "R " + decision.retryAfterMicros() / 1e6;
    }
}
