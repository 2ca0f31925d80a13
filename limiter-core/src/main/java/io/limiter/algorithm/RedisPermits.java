package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link TokenBucket} and the operations on it. Immutable and pure; Redis stores all doubles without
 * loss.
 *
 * <p>{@code maxPermits} and {@code intervalMillis} repeat the definition under which the state was written. A step
 * under another definition first settles the elapsed time under that one, and then rescales the state to its own.
 *
 * <p>{@code nextFreeTicketMillis} holds whole microseconds, exact in a double of milliseconds until the year 2109.
 * {@code remainderMicros} holds the fraction: at 1,000,000 permits/s, where one permit takes one microsecond, the rate
 * would be off by percents without it.
 *
 * @param maxPermits the most permits that can be stored, more than 0
 * @param storedPermits permits stored at {@code nextFreeTicketMillis}, from 0 to {@code maxPermits}
 * @param intervalMillis milliseconds per permit, more than 0
 * @param nextFreeTicketMillis milliseconds since the epoch: in the past, the time up to which permits are settled; in
 *     the future, the end of all reservations (pre-consumption)
 * @param remainderMicros fraction of a microsecond reserved on top, at least 0 and less than 1
 * @param reservations what {@code nextFreeTicketMillis} does not tell about reservations; {@code null} for most buckets
 */
public record RedisPermits(
        double maxPermits,
        double storedPermits,
        double intervalMillis,
        double nextFreeTicketMillis,
        double remainderMicros,

        @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("bookings") @Nullable
        Reservations reservations) {

    /**
     * How far ahead a reservation may be without being recorded in {@link Reservations}, and the largest clock step for
     * which the bucket waits.
     */
    static final double HOUR_MICROS = 3_600_000_000.0;

    /** Above the error of ratios that are equal but for rounding. */
    private static final double ROUNDED = 1.000000001;

    /**
     * The part of a permit that decisions ignore, as long as it takes less than {@link #NEGLIGIBLE_MICROS}. A sum of
     * fractions that should be 1 can be 0.9999999999999999, and a caller that retries exactly at its retry-after must
     * be granted. Only decisions round; reservations stay exact, so no permits are gained.
     */
    private static final double NEGLIGIBLE_PERMITS = 1e-9;

    /**
     * Half of the resolution of times, so that a time that is whole except for a rounding error is rounded to that
     * number.
     */
    private static final double NEGLIGIBLE_MICROS = 0.5;

    public RedisPermits {
        if (!(maxPermits > 0
                && maxPermits < Double.POSITIVE_INFINITY
                && storedPermits >= 0
                && storedPermits <= maxPermits
                && intervalMillis > 0
                && intervalMillis < Double.POSITIVE_INFINITY
                && nextFreeTicketMillis >= 0
                && nextFreeTicketMillis * 1000.0 < Double.POSITIVE_INFINITY
                && remainderMicros >= 0
                && remainderMicros < 1)) {
            throw new IllegalArgumentException("not a token bucket's state: maxPermits " + maxPermits
                    + ", storedPermits " + storedPermits + ", intervalMillis " + intervalMillis
                    + ", nextFreeTicketMillis " + nextFreeTicketMillis + ", remainderMicros " + remainderMicros);
        }
    }

    /** A state without {@link Reservations}. */
    public RedisPermits(
            double maxPermits,
            double storedPermits,
            double intervalMillis,
            double nextFreeTicketMillis,
            double remainderMicros) {
        this(maxPermits, storedPermits, intervalMillis, nextFreeTicketMillis, remainderMicros, null);
    }

    /** Reads JSON, in which the remainder and the reservations may be missing. */
    @JsonCreator
    static RedisPermits of(
            @JsonProperty(value = "maxPermits", required = true) double maxPermits,
            @JsonProperty(value = "storedPermits", required = true) double storedPermits,
            @JsonProperty(value = "intervalMillis", required = true) double intervalMillis,
            @JsonProperty(value = "nextFreeTicketMillis", required = true) double nextFreeTicketMillis,
            @JsonProperty("remainderMicros") @Nullable Double remainderMicros,
            @JsonProperty("bookings") @Nullable Reservations reservations) {
        return new RedisPermits(
                maxPermits,
                storedPermits,
                intervalMillis,
                nextFreeTicketMillis,
                remainderMicros == null ? 0.0 : remainderMicros,
                reservations);
    }

    /** The state of a new bucket. */
    static RedisPermits initial(double maxPermits, double storedPermits, double intervalMillis, double nowMicros) {
        return new RedisPermits(maxPermits, storedPermits, intervalMillis, nowMicros / 1000.0, 0.0);
    }

    double intervalMicros() {
        return intervalMillis * 1000.0;
    }

    double nextFreeMicros() {
        return Math.floor(nextFreeTicketMillis * 1000.0 + 0.5);
    }

    /**
     * Converts the time since the last settlement into stored permits. If {@code now} is before it, the state stays.
     *
     * <p>It also stays within the microsecond in which the reservations end. Retries arrive at the end of that
     * microsecond, and the bucket was not idle in it. Otherwise a warm-up, where stored permits cost time, would charge
     * the rest of the microsecond each time and grant a third too few at 700,000 permits/s.
     *
     * @param coolDownIntervals how many intervals it takes to store one permit: 1 without a warm-up
     */
    RedisPermits resync(double nowMicros, double coolDownIntervals) {
        double nextFreeMicros = nextFreeMicros();
        if (nowMicros <= nextFreeMicros + roundUp(remainderMicros)) {
            return this;
        }
        double idleMicros = nowMicros - nextFreeMicros - remainderMicros;
        double stored = refilled(storedPermits, maxPermits, idleMicros, intervalMicros() * coolDownIntervals);
        // Tickets can be later than the next free one; see Reservations.
        Reservations left = reservations == null || nowMicros >= reservations.lastTicketMicros() ? null : reservations;
        return new RedisPermits(maxPermits, stored, intervalMillis, nowMicros / 1000.0, 0.0, left);
    }

    /** Stored permits after a time in which permits accrued. */
    static double refilled(double storedPermits, double maxPermits, double idleMicros, double microsPerPermit) {
        return Math.min(maxPermits, storedPermits + idleMicros / microsPerPermit);
    }

    /**
     * The same bucket under another definition: stored permits are worth the same time as before, and reservations
     * stay. For a new rate, Guava's {@code setRate} does the same. For a new burst, Guava keeps the filled
     * <em>share</em>. That would let a small bucket, which fills soon, fill a large one each time limiters with both
     * definitions take turns. Where the capacity grows less than the rate, stored permits grow as it does: otherwise limiters
     * with both rates would grant more in turn than the faster one alone.
     */
    RedisPermits rescale(double newMaxPermits, double newIntervalMillis) {
        double larger = Math.max(1.0, newMaxPermits / maxPermits);
        double kept = intervalMillis / newIntervalMillis > larger * ROUNDED
                ? storedPermits * larger
                : storedPermits * intervalMillis / newIntervalMillis;
        double stored = Math.min(newMaxPermits, kept);
        return new RedisPermits(
                newMaxPermits, stored, newIntervalMillis, nextFreeTicketMillis, remainderMicros, reservations);
    }

    /**
     * Bounds how long a clock that stepped back stops the bucket. No reservation is further ahead than an hour or the
     * furthest recorded one. If the next free ticket is, by up to an hour, the bucket waits for the clock, which may
     * step forward again. If by more, the ticket is moved back, or all callers would wait until the clock catches up.
     */
    RedisPermits boundClockStep(double nowMicros) {
        double furthest = reservations == null ? HOUR_MICROS : Math.max(HOUR_MICROS, reservations.furthestMicros());
        if (nextFreeMicros() - nowMicros <= furthest + HOUR_MICROS) {
            return this;
        }
        return new RedisPermits(
                maxPermits, storedPermits, intervalMillis, (nowMicros + furthest) / 1000.0, 0.0, reservations);
    }

    /** This state with no reservation further ahead than a bound. */
    RedisPermits boundReservation(double nowMicros, double maxReservedMicros) {
        if (nextFreeMicros() - nowMicros <= maxReservedMicros) {
            return this;
        }
        return new RedisPermits(
                maxPermits, storedPermits, intervalMillis, (nowMicros + maxReservedMicros) / 1000.0, 0.0, reservations);
    }

    /** This state, with a record of a reservation more than an hour ahead. */
    RedisPermits furthest(double reservedMicros) {
        if (reservedMicros <= HOUR_MICROS) {
            return this;
        }
        Reservations known = reservations == null ? Reservations.NONE : reservations;
        return with(known.withFurthest(reservedMicros));
    }

    private RedisPermits with(Reservations newReservations) {
        return newReservations == reservations
                ? this
                : new RedisPermits(
                        maxPermits,
                        storedPermits,
                        intervalMillis,
                        nextFreeTicketMillis,
                        remainderMicros,
                        newReservations.equals(Reservations.NONE) ? null : newReservations);
    }

    /** Takes stored permits, and reserves the time that the request costs. */
    RedisPermits reserve(double fromStored, double costMicros) {
        double micros = remainderMicros + costMicros;
        double whole = Math.floor(micros);
        return new RedisPermits(
                maxPermits,
                storedPermits - fromStored,
                intervalMillis,
                (nextFreeMicros() + whole) / 1000.0,
                micros - whole,
                reservations);
    }

    /** Adds stored permits up to the capacity. Reservations stay. */
    RedisPermits refund(double permits) {
        return new RedisPermits(
                maxPermits,
                Math.min(maxPermits, storedPermits + permits),
                intervalMillis,
                nextFreeTicketMillis,
                remainderMicros,
                reservations);
    }

    /** The ticket of the last reservation: the first whole microsecond at which all reservations are due. */
    double ticketMicros() {
        return nextFreeMicros() + roundUp(remainderMicros);
    }

    /** The latest ticket of the reservations that are still ahead, rounded for a caller with this interval. */
    double lastTicketMicros(double callersIntervalMicros) {
        double last = nextFreeMicros() + wholeMicros(remainderMicros, callersIntervalMicros);
        return reservations == null ? last : Math.max(last, reservations.lastTicketMicros());
    }

    /**
     * How much of a reservation its cancellation restores, in microseconds: its cost minus later reservations. These
     * keep their times, so restoring more would let new reservations come due together with them. As in golang's {@code
     * CancelAt}.
     *
     * @param costMicros the cost of the reservation
     * @param overlapMicros how much of it can be restored if there are later reservations, before they are subtracted
     * @param ticket the reservation's
     * @return negative if the bucket has no such ticket
     */
    double restorableMicros(double costMicros, double overlapMicros, double ticket, double callersIntervalMicros) {
        double after = lastTicketMicros(callersIntervalMicros) - ticket;
        if (after <= 0.0) {
            return after < 0.0 ? -1.0 : costMicros;
        }
        if (callersIntervalMicros % 1.0 != 0.0) {
            // Tickets are rounded up.
            after += 1.0;
        }
        return Math.max(0.0, overlapMicros - after);
    }

    /**
     * Cancels a reservation in a settled state.
     *
     * <p>Cancellations from the last reservation to the first restore all of them. In any other order, a cancellation
     * restores what no later reservation covers. But as long as each microsecond up to the next free ticket belongs to
     * one reservation, the state counts the cancelled ones: when all are cancelled, no reservation is left, whatever
     * the order was.
     *
     * @param ticket of the reservation
     * @param costMicros the cost of the reservation
     * @param restoredMicros how much of it to restore, from 0 to the cost
     * @param lastTicket the last ticket before the state was settled
     */
    RedisPermits cancel(
            double nowMicros,
            double ticket,
            double costMicros,
            double restoredMicros,
            double lastTicket,
            double coolDownIntervals) {
        double stored = storedPermits;
        double nextFree = nextFreeMicros();
        double remainder = remainderMicros;
        double last = reservations == null ? 0.0 : reservations.lastTicketMicros();
        double cancelledUntil = reservations == null ? 0.0 : reservations.cancelledUntilMicros();
        double ahead = nextFree - nowMicros + remainder;
        if (restoredMicros < ahead) {
            double micros = remainder - restoredMicros;
            double whole = Math.floor(micros);
            nextFree += whole;
            remainder = micros - whole;
        } else {
            if (ahead > 0.0) {
                nextFree = nowMicros;
                remainder = 0.0;
            }
            double idleMicros = restoredMicros - Math.max(0.0, ahead);
            stored = Math.min(maxPermits, stored + idleMicros / (intervalMicros() * coolDownIntervals));
        }
        if (restoredMicros > 0.0 && restoredMicros < costMicros && lastTicket > nowMicros) {
            // From here on, reservations overlap.
            last = lastTicket;
            cancelledUntil = 0.0;
        } else if (last <= nowMicros) {
            if (restoredMicros == 0.0 && ticket > nowMicros) {
                cancelledUntil = Math.max(cancelledUntil, nowMicros) + Math.min(costMicros, ticket - nowMicros);
            }
            if (cancelledUntil > nowMicros && cancelledUntil >= nextFree + remainder - NEGLIGIBLE_MICROS) {
                nextFree = nowMicros;
                remainder = 0.0;
                cancelledUntil = 0.0;
            }
        }
        double furthest = reservations == null ? 0.0 : reservations.furthestMicros();
        return new RedisPermits(maxPermits, stored, intervalMillis, nextFree / 1000.0, remainder)
                .with(new Reservations(last, cancelledUntil, furthest));
    }

    /** Microseconds until all reservations are due, rounded up. */
    double reservedMicros(double nowMicros) {
        return Math.max(0.0, nextFreeMicros() - nowMicros + roundUp(remainderMicros));
    }

    /** Microseconds until the bucket is full and all reservations are due, rounded up. */
    double resetMicros(double nowMicros, double coolDownIntervals) {
        double micros = remainderMicros + (maxPermits - storedPermits) * (intervalMicros() * coolDownIntervals);
        return Math.max(0.0, nextFreeMicros() - nowMicros + wholeMicros(micros, intervalMicros()));
    }

    /** Stored permits, rounded down. */
    double wholePermits() {
        return wholePermits(storedPermits, intervalMicros());
    }

    private double roundUp(double partOfMicro) {
        return wholeMicros(partOfMicro, intervalMicros());
    }

    /** Microseconds of a wait, rounded up unless the fraction is negligible. */
    static double wholeMicros(double micros, double intervalMicros) {
        return roundUp(micros, negligibleMicros(intervalMicros));
    }

    static double roundUp(double micros, double negligible) {
        double whole = Math.floor(micros);
        return micros - whole > negligible ? whole + 1.0 : whole;
    }

    /** Stored permits, rounded down unless the missing fraction is negligible. */
    static double wholePermits(double permits, double intervalMicros) {
        return Math.floor(permits + negligibleMicros(intervalMicros) / intervalMicros);
    }

    static double negligibleMicros(double intervalMicros) {
        return Math.min(NEGLIGIBLE_PERMITS * intervalMicros, NEGLIGIBLE_MICROS);
    }

    /**
     * What the next free ticket of a bucket does not tell about its reservations. It exists after a cancellation, or
     * after a reservation of more than an hour ahead, until all reservations are due.
     *
     * @param lastTicketMicros the latest ticket when a cancellation moved the next free ticket back before later
     *     reservations, in microseconds since the epoch; 0 if none did. Until then, tickets can be later than the next
     *     free one
     * @param cancelledUntilMicros the end of the cancelled reservations if they came first, in microseconds since the
     *     epoch; 0 if none is cancelled, or if it is unknown. When it reaches the next free ticket, all reservations
     *     are cancelled
     * @param furthestMicros how far ahead of its decision the furthest reservation was, if more than an hour; otherwise
     *     0
     */
    public record Reservations(
            @JsonProperty(required = true) double lastTicketMicros,
            @JsonProperty(required = true) double cancelledUntilMicros,
            @JsonProperty(required = true) double furthestMicros) {

        static final Reservations NONE = new Reservations(0.0, 0.0, 0.0);

        private static final double LATEST_MICROS = 0x1p53;

        public Reservations {
            // Written so that NaN fails.
            if (!(lastTicketMicros >= 0
                    && lastTicketMicros < LATEST_MICROS
                    && cancelledUntilMicros >= 0
                    && cancelledUntilMicros < LATEST_MICROS
                    && furthestMicros >= 0
                    && furthestMicros < LATEST_MICROS)) {
                throw new IllegalArgumentException("not a bucket's reservations: lastTicketMicros " + lastTicketMicros
                        + ", cancelledUntilMicros " + cancelledUntilMicros + ", furthestMicros " + furthestMicros);
            }
        }

        /** These with a reservation as far ahead, if it is further than the others. */
        Reservations withFurthest(double micros) {
            return micros <= furthestMicros ? this : new Reservations(lastTicketMicros, cancelledUntilMicros, micros);
        }
    }
}
