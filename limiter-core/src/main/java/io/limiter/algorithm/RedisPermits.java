package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import io.limiter.internal.arithmetic.BucketArithmetic;
import io.limiter.internal.arithmetic.Rounding;
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
 * @param reservations what {@code nextFreeTicketMillis} does not tell about reservations, or {@code null} for most buckets
 * @param demand of the instances that prefetch, or {@code null} if none does
 */
public record RedisPermits(
        @JsonProperty(required = true) double maxPermits,
        @JsonProperty(required = true) double storedPermits,
        @JsonProperty(required = true) double intervalMillis,
        @JsonProperty(required = true) double nextFreeTicketMillis,
        // 0 if it is missing.
        @JsonSetter(nulls = Nulls.AS_EMPTY) double remainderMicros,

        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Reservations reservations,

        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Demand demand) {

    /** Above the error of ratios that are equal but for rounding. */
    private static final double ROUNDED = 1.000000001;

    /** 142 years of reservations. Without a bound, cancellations of more permits than there are would add up to no time. */
    private static final double MOST_CANCELLED_MICROS = 0x1p52;

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

    /** A state without {@link Reservations} and {@link Demand}. */
    public RedisPermits(
            double maxPermits,
            double storedPermits,
            double intervalMillis,
            double nextFreeTicketMillis,
            double remainderMicros) {
        this(maxPermits, storedPermits, intervalMillis, nextFreeTicketMillis, remainderMicros, null, null);
    }

    double intervalMicros() {
        return intervalMillis * 1000.0;
    }

    double nextFreeMicros() {
        return BucketArithmetic.wholeMicros(nextFreeTicketMillis);
    }

    /**
     * Converts the time since the last settlement into stored permits. If {@code now} is before it, the state stays.
     *
     * <p>It also stays within the microsecond in which the reservations end. Retries arrive at the end of that
     * microsecond, and the bucket was not idle in it: a warm-up would charge the rest of it each time.
     *
     * @param coolDownIntervals how many intervals it takes to store one permit: 1 without a warm-up
     */
    RedisPermits resync(double nowMicros, double coolDownIntervals) {
        double nextFreeMicros = nextFreeMicros();
        if (nowMicros <= nextFreeMicros + Rounding.wholeMicros(remainderMicros, intervalMicros())) {
            return this;
        }
        double idleMicros = nowMicros - nextFreeMicros - remainderMicros;
        RedisPermits idle = filled(idleMicros, intervalMicros() * coolDownIntervals, nowMicros / 1000.0, 0.0);
        // Tickets can be later than the next free one; see Reservations.
        if (reservations == null || nowMicros < reservations.lastTicketMicros()) {
            return idle;
        }
        Reservations left = idle.known().withFurthest(0.0);
        return idle.withReservations(idle.storedPermits == maxPermits ? left.withFastest(0.0) : left);
    }

    /** Stores the permits of an idle time. When the bucket overflows, its tail moves, and with it cancelled reservations. */
    private RedisPermits filled(
            double idleMicros, double microsPerPermit, double newNextFreeTicketMillis, double newRemainderMicros) {
        double overflow = storedPermits + idleMicros / microsPerPermit - maxPermits;
        double from = known().cancelledFromMicros();
        return new RedisPermits(
                maxPermits,
                BucketArithmetic.refilled(storedPermits, maxPermits, idleMicros, microsPerPermit),
                intervalMillis,
                newNextFreeTicketMillis,
                newRemainderMicros,
                overflow > 0.0 && from > 0.0
                        ? known().withCancelled(from + overflow * microsPerPermit, known().cancelledMicros())
                        : reservations,
                demand);
    }

    /** This settled state without what overflows because instances hold a part of the capacity. */
    RedisPermits leavingRoomForHeld(double nowMicros, double coolDownIntervals) {
        double most = demand == null ? maxPermits : Math.max(0.0, maxPermits - demand.heldPermits(nowMicros));
        if (storedPermits <= most) {
            return this;
        }
        double moved = (storedPermits - most) * (intervalMicros() * coolDownIntervals);
        double from = known().cancelledFromMicros();
        return (from > 0.0 ? withReservations(known().withCancelled(from + moved, known().cancelledMicros())) : this)
                .withStored(most);
    }

    /** This settled state without what can no longer matter of its cancelled reservations. */
    RedisPermits forget(double nowMicros, double coolDownIntervals) {
        if (reservations == null || reservations.lastTicketMicros() == 0.0) {
            return this;
        }
        if (nowMicros - reservations.lastTicketMicros() >= maxPermits * intervalMicros()) {
            return withoutReservations();
        }
        // More would overflow the bucket.
        double micros = remainderMicros + (maxPermits - storedPermits) * (intervalMicros() * coolDownIntervals);
        double most = Math.max(0.0, nextFreeMicros() - nowMicros + micros);
        double cancelled = reservations.cancelledMicros();
        return cancelled <= most
                ? this
                : withReservations(
                        reservations.withCancelled(reservations.cancelledFromMicros() + (cancelled - most), most));
    }

    /**
     * The same bucket under another definition: stored permits keep the time that they took to accrue or their share of the capacity,
     * whichever leaves fewer, and reservations stay. So limiters with any number of definitions never grant more in turn than the
     * largest capacity and the highest rate among them allow. Count each stored permit as {@code min(highest rate / rate, largest
     * capacity / capacity)}: a conversion never adds to that sum, time adds at most the highest rate, a full bucket has at most the
     * largest capacity, and a granted permit takes at least one.
     */
    RedisPermits rescale(double newMaxPermits, double newIntervalMillis) {
        double share = newMaxPermits / maxPermits;
        double kept = intervalMillis / newIntervalMillis > share * ROUNDED
                ? storedPermits * share
                : storedPermits * intervalMillis / newIntervalMillis;
        double stored = Math.min(newMaxPermits, kept);
        // A full bucket can restore nothing of what was reserved.
        boolean full = storedPermits == maxPermits && known().lastTicketMicros() == 0.0;
        double fastest = known().fastestMicros() > 0.0 ? known().fastestMicros() : intervalMicros();
        Reservations left = known().withCancelled(0.0, 0.0)
                .withFastest(full || fastest >= newIntervalMillis * 1000.0 ? 0.0 : fastest)
                .withOtherSince(0.0);
        return new RedisPermits(
                newMaxPermits, stored, newIntervalMillis, nextFreeTicketMillis, remainderMicros, left.orNull(), demand);
    }

    /**
     * Bounds how long a clock that stepped back stops the bucket. No reservation is further ahead than an hour or the
     * furthest recorded one. If the next free ticket is, by up to an hour, the bucket waits for the clock, which may
     * step forward again. If by more, the ticket is moved back, or all callers would wait until the clock catches up. Demand
     * moves with the clock.
     */
    RedisPermits boundClockStep(double nowMicros) {
        Demand now = demand == null ? null : demand.at(nowMicros);
        if (now != demand) {
            return withDemand(now).boundClockStep(nowMicros);
        }
        double furthest = reservations == null
                ? BucketArithmetic.HOUR_MICROS
                : Math.max(BucketArithmetic.HOUR_MICROS, reservations.furthestMicros());
        if (nextFreeMicros() - nowMicros <= furthest + BucketArithmetic.HOUR_MICROS) {
            return this;
        }
        return boundReservation(nowMicros, furthest).withoutCancelled();
    }

    /** This state with no reservation further ahead than a bound. */
    RedisPermits boundReservation(double nowMicros, double maxReservedMicros) {
        if (nextFreeMicros() - nowMicros <= maxReservedMicros) {
            return this;
        }
        return at(storedPermits, (nowMicros + maxReservedMicros) / 1000.0, 0.0);
    }

    /** This state, with a record of a reservation more than an hour ahead. */
    RedisPermits furthest(double reservedMicros) {
        if (reservedMicros <= BucketArithmetic.HOUR_MICROS) {
            return this;
        }
        Reservations known = known();
        return withReservations(known.withFurthest(Math.max(known.furthestMicros(), reservedMicros)));
    }

    /** Since when limiters with another definition have asked and taken nothing; now if none has asked before. */
    double otherSinceMicros(double nowMicros) {
        double since = known().otherSinceMicros();
        return since > 0.0 ? Math.min(since, nowMicros) : nowMicros;
    }

    /** This state, of which limiters with another definition have taken nothing since then, or 0 if none has asked. */
    RedisPermits withOtherSince(double micros) {
        return known().otherSinceMicros() == micros ? this : withReservations(known().withOtherSince(micros));
    }

    /** Forgets where cancelled reservations were, after a change that moved others relative to them. */
    private RedisPermits withoutCancelled() {
        return reservations == null ? this : withReservations(reservations.withCancelled(0.0, 0.0));
    }

    Reservations known() {
        return reservations == null ? Reservations.NONE : reservations;
    }

    RedisPermits withReservations(Reservations newReservations) {
        return with(newReservations.orNull(), demand);
    }

    RedisPermits withDemand(@Nullable Demand newDemand) {
        return with(reservations, newDemand);
    }

    private RedisPermits with(@Nullable Reservations newReservations, @Nullable Demand newDemand) {
        return copy(storedPermits, nextFreeTicketMillis, remainderMicros, newReservations, newDemand);
    }

    /** Takes stored permits, and reserves the time that the request costs. */
    RedisPermits reserve(double fromStored, double costMicros) {
        return reservedFor(storedPermits - fromStored, remainderMicros + costMicros);
    }

    /** Reserves this time in place of the remainder. */
    private RedisPermits reservedFor(double newStoredPermits, double micros) {
        double whole = Math.floor(micros);
        return at(newStoredPermits, (nextFreeMicros() + whole) / 1000.0, micros - whole);
    }

    private RedisPermits at(double newStoredPermits, double newNextFreeTicketMillis, double newRemainderMicros) {
        return copy(newStoredPermits, newNextFreeTicketMillis, newRemainderMicros, reservations, demand);
    }

    private RedisPermits copy(
            double newStored, double newFree, double newRemainder, @Nullable Reservations r, @Nullable Demand d) {
        return new RedisPermits(maxPermits, newStored, intervalMillis, newFree, newRemainder, r, d);
    }

    /** Adds stored permits up to the capacity. Reservations stay. */
    RedisPermits refund(double permits) {
        return withStored(Math.min(maxPermits, storedPermits + permits)).withoutCancelled();
    }

    RedisPermits withStored(double stored) {
        return at(stored, nextFreeTicketMillis, remainderMicros);
    }

    /**
     * The time up to which permits are taken, in microseconds: the next reservation begins there. Before the next free ticket
     * by the time in which the stored permits accrued.
     *
     * @param freePermits stored permits that cost no time
     */
    double tailMicros(double freePermits) {
        return nextFreeMicros() + (remainderMicros - freePermits * intervalMicros());
    }

    /** The latest time at which a reservation made so far comes due, or came due if none is ahead. */
    double reservedUntilMicros() {
        return Math.max(nextFreeMicros() + remainderMicros, known().lastTicketMicros());
    }

    /**
     * Tolerance for a ticket, which is rounded: less than one permit takes, so that no other reservation is taken for it.
     */
    double ticketTolerance() {
        return Math.min(1.25, 0.75 * intervalMicros());
    }

    /**
     * Moves the tail back in a settled state.
     *
     * @param micros by how much
     * @param microsPerPermit the time in which a permit accrues that is stored again
     */
    RedisPermits restore(double nowMicros, double micros, double microsPerPermit) {
        double ahead = nextFreeMicros() - nowMicros + remainderMicros;
        if (micros < ahead) {
            return reservedFor(storedPermits, remainderMicros - micros);
        }
        return filled(
                micros - Math.max(0.0, ahead),
                microsPerPermit,
                ahead > 0.0 ? nowMicros / 1000.0 : nextFreeTicketMillis,
                ahead > 0.0 ? 0.0 : remainderMicros);
    }

    /** Where the first cancelled reservation begins, if one that begins here is cancelled now, or 0 if unknown. */
    double cancelledFromMicros(double beginMicros) {
        Reservations known = known();
        return known.lastTicketMicros() == 0.0 ? beginMicros : Math.min(known.cancelledFromMicros(), beginMicros);
    }

    /**
     * This settled state with a record of a reservation that is cancelled before later ones.
     *
     * @param untilMicros when all that was reserved is due
     * @param fromMicros where the first cancelled reservation begins, or 0 if unknown
     */
    RedisPermits withCancelled(
            double tailMicros, double untilMicros, double fromMicros, double restoredMicros, double leftMicros) {
        Reservations known = known();
        double last = known.lastTicketMicros();
        // Where nothing can be restored any more, overlaps do not matter.
        double overlap = untilMicros - last >= maxPermits * intervalMicros() ? 0.0 : known.overlapMicros();
        return withReservations(new Reservations(
                restoredMicros > 0.0 || overlap == 0.0 ? Math.max(last, tailMicros) : last,
                Math.min(MOST_CANCELLED_MICROS, overlap + restoredMicros),
                fromMicros,
                fromMicros > 0.0 ? Math.min(MOST_CANCELLED_MICROS, known.cancelledMicros() + leftMicros) : 0.0,
                known.furthestMicros(),
                known.fastestMicros(),
                known.otherSinceMicros()));
    }

    /** This state after all reservations since the first cancelled one are cancelled. */
    RedisPermits withoutReservations() {
        return withReservations(
                Reservations.NONE.withFurthest(known().furthestMicros()).withFastest(known().fastestMicros()));
    }

    /** How much of the tail belongs to reservations that are not cancelled, since the first cancelled one. */
    double liveMicros(double tailMicros) {
        return tailMicros - known().cancelledFromMicros() - known().cancelledMicros();
    }

    /** Microseconds until all reservations are due, rounded up. */
    double reservedMicros(double nowMicros) {
        return Math.max(0.0, nextFreeMicros() - nowMicros + Rounding.wholeMicros(remainderMicros, intervalMicros()));
    }

    /** Microseconds until the bucket is full and all reservations are due, rounded up. */
    double resetMicros(double nowMicros, double coolDownIntervals) {
        double micros = remainderMicros + (maxPermits - storedPermits) * (intervalMicros() * coolDownIntervals);
        return Math.max(0.0, nextFreeMicros() - nowMicros + Rounding.wholeMicros(micros, intervalMicros()));
    }

    /** Stored permits, rounded down. */
    double wholePermits() {
        return Rounding.wholePermits(storedPermits, intervalMicros());
    }
}
