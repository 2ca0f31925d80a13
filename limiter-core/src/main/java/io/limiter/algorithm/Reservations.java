package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.limiter.internal.arithmetic.Ranges;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a bucket's reservations that its next free ticket does not tell. It exists after a reservation was cancelled
 * before later ones, until the bucket could have filled since the last ticket, while one is more than an hour ahead, after a limit
 * with a higher rate than that of the state has reserved, until the bucket is full, or after a limit with another definition has
 * rejected a request, until one takes permits.
 *
 * @param lastTicketMicros the latest ticket, or the time, of the last such cancellation, in microseconds since the
 *     epoch, or 0 if there was none. Until then, tickets can be later than the next free one
 * @param overlapMicros how much such cancellations have restored: by so much, reservations overlap
 * @param cancelledFromMicros where the first cancelled reservation begins, in microseconds since the epoch, or 0 if unknown
 * @param cancelledMicros how much of the cancelled reservations since then is not restored yet. When nothing else is
 *     left there, all of it is
 * @param furthestMicros how far ahead of its decision the furthest reservation was, if more than an hour; otherwise
 *     0
 * @param fastestMicros the time for a permit at the highest rate at which the permits may be reserved that are not there, if that is
 *     another one than the rate of the state, otherwise 0
 * @param otherSinceMicros since when limiters with another definition than that of the state have asked for permits and taken none, in
 *     microseconds since the epoch, or 0 if none has asked. For them the state has their definition since then; for its own definition
 *     nothing has happened
 */
public record Reservations(
        @JsonProperty(required = true) double lastTicketMicros,
        @JsonProperty(required = true) double overlapMicros,
        @JsonProperty(required = true) double cancelledFromMicros,
        @JsonProperty(required = true) double cancelledMicros,
        @JsonProperty(required = true) double furthestMicros,
        @JsonProperty(required = true) double fastestMicros,
        @JsonProperty(required = true) double otherSinceMicros) {

    static final Reservations NONE = new Reservations(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);

    public Reservations {
        if (!(Ranges.isTime(lastTicketMicros)
                && Ranges.isTime(overlapMicros)
                && Ranges.isTime(cancelledFromMicros)
                && Ranges.isTime(cancelledMicros)
                && Ranges.isTime(furthestMicros)
                && Ranges.isTime(fastestMicros)
                && Ranges.isTime(otherSinceMicros))) {
            throw new IllegalArgumentException("not a bucket's reservations: lastTicketMicros " + lastTicketMicros
                    + ", overlapMicros " + overlapMicros + ", cancelledFromMicros " + cancelledFromMicros
                    + ", cancelledMicros " + cancelledMicros + ", furthestMicros " + furthestMicros
                    + ", fastestMicros " + fastestMicros + ", otherSinceMicros " + otherSinceMicros);
        }
    }

    /** {@code null} if there are none. */
    public @Nullable Reservations orNull() {
        return equals(NONE) ? null : this;
    }

    Reservations withFurthest(double micros) {
        return new Reservations(
                lastTicketMicros,
                overlapMicros,
                cancelledFromMicros,
                cancelledMicros,
                micros,
                fastestMicros,
                otherSinceMicros);
    }

    Reservations withCancelled(double fromMicros, double micros) {
        return new Reservations(
                lastTicketMicros, overlapMicros, fromMicros, micros, furthestMicros, fastestMicros, otherSinceMicros);
    }

    Reservations withFastest(double micros) {
        return new Reservations(
                lastTicketMicros,
                overlapMicros,
                cancelledFromMicros,
                cancelledMicros,
                furthestMicros,
                micros,
                otherSinceMicros);
    }

    Reservations withOtherSince(double micros) {
        return new Reservations(
                lastTicketMicros,
                overlapMicros,
                cancelledFromMicros,
                cancelledMicros,
                furthestMicros,
                fastestMicros,
                micros);
    }
}
