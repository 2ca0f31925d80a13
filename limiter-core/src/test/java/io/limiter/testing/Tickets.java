package io.limiter.testing;

import io.limiter.algorithm.Decision;

/** Copies decisions with another ticket or with none, to compare them. */
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
