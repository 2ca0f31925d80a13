package io.limiter.testing;

import io.limiter.algorithm.Decision;

/** Decisions to compare with, where it matters what they are cancelled by, or does not. */
public final class Tickets {

    private Tickets() {}

    public static Decision withTicket(Decision decision, long ticketMicros) {
        return new Decision(
                decision.granted(),
                decision.limit(),
                decision.remaining(),
                decision.waitMicros(),
                decision.retryAfterMicros(),
                decision.fullAfterMicros(),
                decision.source(),
                ticketMicros);
    }

    public static Decision withoutTicket(Decision decision) {
        return withTicket(decision, 0);
    }
}
