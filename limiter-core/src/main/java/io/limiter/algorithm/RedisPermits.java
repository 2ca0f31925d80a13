package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link TokenBucket}, and what time and bookings do to it. Immutable and pure; all numbers are doubles
 * that survive the way to Redis and back bit by bit.
 *
 * <p>{@code maxPermits} and {@code intervalMillis} repeat the numbers of the limit that wrote the state. A caller that
 * arrives with other numbers first settles the past under these, and only then goes on under its own.
 *
 * <p>{@code nextFreeTicketMillis} holds whole microseconds, which a double of milliseconds can tell apart until the
 * year 2109. What a booking has below a microsecond goes to {@code remainderMicros}: at 1,000,000 permits/s, where one
 * permit <em>is</em> a microsecond, dropping it would put the rate off by percents.
 *
 * @param maxPermits the most permits that can be stored, more than 0
 * @param storedPermits permits there to be taken at {@code nextFreeTicketMillis}, from 0 to {@code maxPermits}
 * @param intervalMillis milliseconds in which one permit comes into being, more than 0
 * @param nextFreeTicketMillis milliseconds since the epoch; in the past, when time was last settled; in the future,
 *     until when permits are booked ahead (pre-consumption)
 * @param remainderMicros microseconds booked on top, at least 0 and less than 1
 */
public record RedisPermits(
        double maxPermits,
        double storedPermits,
        double intervalMillis,
        double nextFreeTicketMillis,
        double remainderMicros) {

    /**
     * The part of a permit that is as good as none, as long as it takes less than {@link #NEGLIGIBLE_MICROS}. A sum of
     * fractions that should be 1 can come out as 0.9999999999999999, and a caller that comes back exactly when it was
     * told must not be sent away for that. Only the judgement rounds; what is booked stays exact, so nothing is ever
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

    /** Reads JSON, in which the remainder may be missing. */
    @JsonCreator
    static RedisPermits of(
            @JsonProperty(value = "maxPermits", required = true) double maxPermits,
            @JsonProperty(value = "storedPermits", required = true) double storedPermits,
            @JsonProperty(value = "intervalMillis", required = true) double intervalMillis,
            @JsonProperty(value = "nextFreeTicketMillis", required = true) double nextFreeTicketMillis,
            @JsonProperty("remainderMicros") @Nullable Double remainderMicros) {
        return new RedisPermits(
                maxPermits,
                storedPermits,
                intervalMillis,
                nextFreeTicketMillis,
                remainderMicros == null ? 0.0 : remainderMicros);
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
     * <p>Nor does anything happen within the microsecond in which the bookings end. Who was told to come back then comes
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
        return new RedisPermits(maxPermits, stored, intervalMillis, nowMicros / 1000.0, 0.0);
    }

    /**
     * The same bucket under other numbers: what was saved up in so many seconds is what comes into being in so many
     * seconds now, and every debt is kept. For a new rate that is what Guava's {@code setRate} does. To carry over how
     * <em>full</em> the bucket is, as Guava does for a new burst too, would let a small bucket, which fills soon, fill a
     * large one, again and again where limiters with both numbers take turns.
     */
    RedisPermits rescale(double newMaxPermits, double newIntervalMillis) {
        double stored = Math.min(newMaxPermits, storedPermits * intervalMillis / newIntervalMillis);
        return new RedisPermits(newMaxPermits, stored, newIntervalMillis, nextFreeTicketMillis, remainderMicros);
    }

    /**
     * No booking lies further ahead than this. If one seems to, the clock has stepped back, and without the bound
     * everybody would wait until it has caught up.
     */
    RedisPermits boundBooking(double nowMicros, double maxBookedMicros) {
        if (nextFreeMicros() - nowMicros <= maxBookedMicros) {
            return this;
        }
        return new RedisPermits(maxPermits, storedPermits, intervalMillis, (nowMicros + maxBookedMicros) / 1000.0, 0.0);
    }

    /** Takes stored permits, and books time for them and for those that are not there yet. */
    RedisPermits book(double fromStored, double costMicros) {
        double micros = remainderMicros + costMicros;
        double whole = Math.floor(micros);
        return new RedisPermits(
                maxPermits,
                storedPermits - fromStored,
                intervalMillis,
                (nextFreeMicros() + whole) / 1000.0,
                micros - whole);
    }

    /** Returns stored permits, as far as there is room. What is booked stays booked. */
    RedisPermits giveBack(double permits) {
        return new RedisPermits(
                maxPermits,
                Math.min(maxPermits, storedPermits + permits),
                intervalMillis,
                nextFreeTicketMillis,
                remainderMicros);
    }

    /** Whole microseconds from now until all bookings are paid, rounded up. */
    double bookedMicros(double nowMicros) {
        return Math.max(0.0, nextFreeMicros() - nowMicros + roundUp(remainderMicros));
    }

    /** Whole microseconds from now until the bucket is full and all bookings are paid, rounded up. */
    double resetMicros(double nowMicros, double coolDownIntervals) {
        double micros = remainderMicros + (maxPermits - storedPermits) * (intervalMicros() * coolDownIntervals);
        return Math.max(0.0, nextFreeMicros() - nowMicros + wholeMicros(micros, intervalMicros()));
    }

    /** Whole permits that can be had now without booking ahead. */
    double available(double nowMicros) {
        return nextFreeMicros() > nowMicros ? 0.0 : wholePermits(storedPermits, intervalMicros());
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
}
