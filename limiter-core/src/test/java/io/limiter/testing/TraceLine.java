package io.limiter.testing;

import io.limiter.algorithm.Decision;

/**
 * One line of a trace: a request and its answer. Times are seconds, and count from {@link #EPOCH_MICROS}.
 *
 * @param answer {@code G} for granted at once, {@code G 2.0} for granted after 2 s, {@code D 2.0} for denied with a
 *     retry after 2 s, {@code D never}
 */
public record TraceLine(double second, int permits, double timeout, String answer) {

    /** A realistic moment, where doubles of milliseconds are as coarse as they are in production. */
    public static final long EPOCH_MICROS = 1_763_650_000_123_456L;

    public static TraceLine at(double second, int permits, double timeout, String answer) {
        return new TraceLine(second, permits, timeout, answer);
    }

    public long nowMicros() {
        return EPOCH_MICROS + Math.round(second * 1e6);
    }

    public long timeoutMicros() {
        return Math.round(timeout * 1e6);
    }

    public TraceLine answered(Decision decision) {
        return new TraceLine(second, permits, timeout, answer(decision));
    }

    private static String answer(Decision decision) {
        if (decision.granted()) {
            return decision.waitMicros() == 0 ? "G" : "G " + decision.waitMicros() / 1e6;
        }
        boolean never = decision.retryAfterMicros() == Decision.NEVER_MICROS;
        return never ? "D never" : "D " + decision.retryAfterMicros() / 1e6;
    }
}
