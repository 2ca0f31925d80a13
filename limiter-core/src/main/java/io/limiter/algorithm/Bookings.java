package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What the next free ticket of a bucket does not tell of the permits that are booked ahead. A bucket has it only after one
 * of them was cancelled, or was booked more than an hour ahead, and until all of them are due.
 *
 * @param lastTicketMicros the last ticket when a cancellation moved the next free ticket back although others had booked
 *     after it, in microseconds since the epoch; 0 if none has. Until then, tickets can lie beyond the next free one
 * @param cancelledUntilMicros how far the cancelled permits would reach, in microseconds since the epoch, were they the
 *     first of those still due; 0 if none is cancelled, or if it is not known. When they reach the next free ticket,
 *     all bookings ahead are cancelled
 * @param furthestMicros how far ahead of its decision the furthest of them was booked, if more than an hour; otherwise 0
 */
public record Bookings(
        @JsonProperty(required = true) double lastTicketMicros,
        @JsonProperty(required = true) double cancelledUntilMicros,
        @JsonProperty(required = true) double furthestMicros) {

    static final Bookings NONE = new Bookings(0.0, 0.0, 0.0);

    private static final double LATEST_MICROS = 0x1p53;

    public Bookings {
        // Written so that NaN fails.
        if (!(lastTicketMicros >= 0
                && lastTicketMicros < LATEST_MICROS
                && cancelledUntilMicros >= 0
                && cancelledUntilMicros < LATEST_MICROS
                && furthestMicros >= 0
                && furthestMicros < LATEST_MICROS)) {
            throw new IllegalArgumentException("not a bucket's bookings: lastTicketMicros " + lastTicketMicros
                    + ", cancelledUntilMicros " + cancelledUntilMicros + ", furthestMicros " + furthestMicros);
        }
    }

    /** These, up to a furthest one that lies so far ahead. */
    Bookings withFurthest(double micros) {
        return micros <= furthestMicros ? this : new Bookings(lastTicketMicros, cancelledUntilMicros, micros);
    }
}
