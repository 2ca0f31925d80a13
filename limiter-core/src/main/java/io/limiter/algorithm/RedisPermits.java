package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link TokenBucket}, and what time and reservations do to it. Immutable and pure; all numbers are doubles
 * that survive the way to Redis and back bit by bit.
 *
 * <p>{@code maxPermits} and {@code intervalMillis} repeat the numbers of the limit that wrote the state. A caller that
 * arrives with other numbers first settles the past under these, and only then goes on under its own.
 *
 * <p>{@code nextFreeTicketMillis} holds whole microseconds, which a double of milliseconds can tell apart until the
 * year 2109. What a reservation has below a microsecond goes to {@code remainderMicros}: at 1,000,000 permits/s, where one
 * permit <em>is</em> a microsecond, dropping it would put the rate off by percents.
 *
 * @param maxPermits the most permits that can be stored, more than 0
 * @param storedPermits permits there to be taken at {@code nextFreeTicketMillis}, from 0 to {@code maxPermits}
 * @param intervalMillis milliseconds in which one permit comes into being, more than 0
 * @param nextFreeTicketMillis milliseconds since the epoch; in the past, when time was last settled; in the future,
 *     until when permits are reserved ahead (pre-consumption)
 * @param remainderMicros microseconds reserved on top, at least 0 and less than 1
 * @param reservations what else has to be known of the permits that are reserved ahead; {@code null} for most buckets
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
     * What a reservation can lie ahead without being remembered, and how far the clock may step back without being believed:
     * longer than any step that a clock makes twice.
     */
    static final double HOUR_MICROS = 3_600_000_000.0;

    /**
     * The part of a permit that is as good as none, as long as it takes less than {@link #NEGLIGIBLE_MICROS}. A sum of
     * fractions that should be 1 can come out as 0.9999999999999999, and a caller that comes back exactly when it was
     * told must not be sent away for that. Only the judgement rounds; what is reserved stays exact, so nothing is ever
     * gained by it.
     */
    private static final double NEGLIGIBLE_PERMITS = 1e-9;

    /** Half of what times can tell apart: then a time that is a whole number, but for an error, is that number. */
    private static final double NEGLIGIBLE_MICROS = 0.5;

    public RedisPermits {
        if (!(maxPermits > 0
                && maxPermits < Double.POSITIVE_INFINITY
                && storedPermits >= 0
                && storedPermits <= maxPermits
                && intervalMillis > 0
                && intervalMillis < Double.POSITIVE_INFINITY
                && nextFreeTicketMillis >= 0
                && nextFreeTicketMillis < Double.POSITIVE_INFINITY
                && remainderMicros >= 0
                && remainderMicros < 1)) {
            throw new IllegalArgumentException("not a token bucket's state: maxPermits " + maxPermits
                    + ", storedPermits " + storedPermits + ", intervalMillis " + intervalMillis
                    + ", nextFreeTicketMillis " + nextFreeTicketMillis + ", remainderMicros " + remainderMicros);
        }
    }

    /** Without anything else to know of its reservations. */
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

    /** A bucket that comes into being. */
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
     * Turns the time since the last settlement into stored permits. Time never runs backwards here: if {@code now} lies
     * before the last settlement, nothing happens.
     *
     * <p>Nor does anything happen within the microsecond in which the reservations end. Who was told to come back then comes
     * at its end, and nothing has been idle: a warm-up, where stored permits cost time, would charge the rest of the
     * microsecond again and again, and serve a third too few at 700,000 permits/s.
     *
     * @param coolDownIntervals intervals in which one permit is stored: 1 but for a warm-up
     */
    RedisPermits resync(double nowMicros, double coolDownIntervals) {
        double nextFreeMicros = nextFreeMicros();
        if (nowMicros <= nextFreeMicros + roundUp(remainderMicros)) {
            return this;
        }
        double idleMicros = nowMicros - nextFreeMicros - remainderMicros;
        double stored = Math.min(maxPermits, storedPermits + idleMicros / (intervalMicros() * coolDownIntervals));
        // Tickets can lie beyond the next free one; see Reservations.
        Reservations left = reservations == null || nowMicros >= reservations.lastTicketMicros() ? null : reservations;
        return new RedisPermits(maxPermits, stored, intervalMillis, nowMicros / 1000.0, 0.0, left);
    }

    /**
     * The same bucket under other numbers: what was saved up in so many seconds is what comes into being in so many
     * seconds now, and every debt is kept. For a new rate that is what Guava's {@code setRate} does. To carry over how
     * <em>full</em> the bucket is, as Guava does for a new burst too, would let a small bucket, which fills soon, fill a
     * large one, again and again where limiters with both numbers take turns.
     */
    RedisPermits rescale(double newMaxPermits, double newIntervalMillis) {
        double stored = Math.min(newMaxPermits, storedPermits * intervalMillis / newIntervalMillis);
        return new RedisPermits(
                newMaxPermits, stored, newIntervalMillis, nextFreeTicketMillis, remainderMicros, reservations);
    }

    /**
     * Bounds how long a clock that has stepped back stops the bucket. No reservation lies further ahead than an hour, or than
     * the furthest. If one seems to, by up to an hour, time waits for the clock, which may step forward again. If by more,
     * it does not, or everybody would wait until the clock has caught up.
     */
    RedisPermits boundClockStep(double nowMicros) {
        double furthest = reservations == null ? HOUR_MICROS : Math.max(HOUR_MICROS, reservations.furthestMicros());
        if (nextFreeMicros() - nowMicros <= furthest + HOUR_MICROS) {
            return this;
        }
        return new RedisPermits(
                maxPermits, storedPermits, intervalMillis, (nowMicros + furthest) / 1000.0, 0.0, reservations);
    }

    /** The same, reserved no further ahead than this. */
    RedisPermits boundReservation(double nowMicros, double maxReservedMicros) {
        if (nextFreeMicros() - nowMicros <= maxReservedMicros) {
            return this;
        }
        return new RedisPermits(
                maxPermits, storedPermits, intervalMillis, (nowMicros + maxReservedMicros) / 1000.0, 0.0, reservations);
    }

    /** The same, of which something is reserved so far ahead. */
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

    /** Takes stored permits, and reserves time for them and for those that are not there yet. */
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

    /** Returns stored permits, as far as there is room. What is reserved stays reserved. */
    RedisPermits refund(double permits) {
        return new RedisPermits(
                maxPermits,
                Math.min(maxPermits, storedPermits + permits),
                intervalMillis,
                nextFreeTicketMillis,
                remainderMicros,
                reservations);
    }

    /** What tells the last reservation apart: the first whole microsecond at which all reservations are paid. */
    double ticketMicros() {
        return nextFreeMicros() + roundUp(remainderMicros);
    }

    /** The last ticket that was given out for what is still reserved, as a caller of this interval rounds it. */
    double lastTicketMicros(double callersIntervalMicros) {
        double last = nextFreeMicros() + wholeMicros(remainderMicros, callersIntervalMicros);
        return reservations == null ? last : Math.max(last, reservations.lastTicketMicros());
    }

    /**
     * How much of a reservation its cancellation restores, in microseconds: its cost, less what was reserved after it. That stays
     * where it is, so restoring more would let others be due together with it. This is golang's {@code CancelAt}.
     *
     * @param costMicros what the reservation cost
     * @param overlapMicros how much of it can be restored if others were reserved after it, less these
     * @param ticket the reservation's
     * @return negative if no such ticket was given out
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
     * Cancels a reservation of a state that is settled.
     *
     * <p>Cancelling from the last to the first restores all. In any other order a reservation is restored as far as none was
     * made after it. But as long as each microsecond up to the next free ticket belongs to one reservation, it is enough to
     * know how many of them belong to cancelled ones: once all of them do, no reservation is left, whatever the order was.
     *
     * @param ticket the reservation's
     * @param costMicros what it cost
     * @param restoredMicros what that restores, from 0 to the cost
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
            // From here on, reservations lie one over the other.
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

    /** Whole microseconds from now until all reservations are paid, rounded up. */
    double reservedMicros(double nowMicros) {
        return Math.max(0.0, nextFreeMicros() - nowMicros + roundUp(remainderMicros));
    }

    /** Whole microseconds from now until the bucket is full and all reservations are paid, rounded up. */
    double resetMicros(double nowMicros, double coolDownIntervals) {
        double micros = remainderMicros + (maxPermits - storedPermits) * (intervalMicros() * coolDownIntervals);
        return Math.max(0.0, nextFreeMicros() - nowMicros + wholeMicros(micros, intervalMicros()));
    }

    /** Whole permits that are stored. */
    double wholePermits() {
        return wholePermits(storedPermits, intervalMicros());
    }

    private double roundUp(double partOfMicro) {
        return wholeMicros(partOfMicro, intervalMicros());
    }

    /** Microseconds that someone has to wait: rounded up, unless what is over is negligible. */
    static double wholeMicros(double micros, double intervalMicros) {
        double whole = Math.floor(micros);
        return micros - whole > negligibleMicros(intervalMicros) ? whole + 1.0 : whole;
    }

    /** Permits that are there: rounded down, unless what is missing is negligible. */
    static double wholePermits(double permits, double intervalMicros) {
        return Math.floor(permits + negligibleMicros(intervalMicros) / intervalMicros);
    }

    private static double negligibleMicros(double intervalMicros) {
        return Math.min(NEGLIGIBLE_PERMITS * intervalMicros, NEGLIGIBLE_MICROS);
    }

    /**
     * What the next free ticket of a bucket does not tell of the permits that are reserved ahead. A bucket has it only after one
     * of them was cancelled, or was reserved more than an hour ahead, and until all of them are due.
     *
     * @param lastTicketMicros the last ticket when a cancellation moved the next free ticket back although others had reserved
     *     after it, in microseconds since the epoch; 0 if none has. Until then, tickets can lie beyond the next free one
     * @param cancelledUntilMicros how far the cancelled permits would reach, in microseconds since the epoch, were they the
     *     first of those still due; 0 if none is cancelled, or if it is not known. When they reach the next free ticket,
     *     all reservations ahead are cancelled
     * @param furthestMicros how far ahead of its decision the furthest of them was reserved, if more than an hour; otherwise 0
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

        /** These, up to a furthest one that lies so far ahead. */
        Reservations withFurthest(double micros) {
            return micros <= furthestMicros ? this : new Reservations(lastTicketMicros, cancelledUntilMicros, micros);
        }
    }
}
