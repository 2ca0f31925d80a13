package io.limiter.internal.arithmetic;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Objects;

/** Range checks with messages that name the value, the allowed range and, if not obvious, the remedy. */
public final class Ranges {

    /**
     * The longest period, burst, wait or expiry. With it, all times stay below 2<sup>53</sup> microseconds, where
     * doubles are exact.
     */
    public static final Duration MAX_DURATION = Duration.ofDays(1000);

    /** By how much a key outlives its state, which also says when it ends. */
    private static final long EXPIRE_MARGIN_MILLIS = 1000;

    private Ranges() {}

    public static void range(String what, double value, double min, double max) {
        // Written so that NaN fails.
        if (!(value >= min && value <= max)) {
            throw new IllegalArgumentException(what + " must be between " + min + " and " + max + ", was " + value);
        }
    }

    public static void moreThan(String what, double value, double bound, double max) {
        if (!(value > bound && value <= max)) {
            throw new IllegalArgumentException(
                    what + " must be more than " + bound + " and at most " + max + ", was " + value);
        }
    }

    public static void range(String what, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " must be between " + min + " and " + max + ", was " + value);
        }
    }

    /** Whether a stored number is a time in microseconds. Below this bound, doubles hold each whole one. False for NaN. */
    public static boolean isTime(double micros) {
        return micros >= 0.0 && micros < 0x1p53;
    }

    /**
     * The most permits of a limit or a request: 2<sup>53</sup> - 1. Redis counts with doubles, which are exact up to 2<sup>53</sup>,
     * so the sum of two numbers that are no larger is never mistaken for one that is.
     */
    public static final long MAX_PERMITS = (1L << 53) - 1;

    /** Instead of a cost. */
    public static final long NO_COST = -1;

    private static final BigDecimal MOST_PERMITS = BigDecimal.valueOf(MAX_PERMITS);

    private static final String MOST_COUNTED = MAX_PERMITS + " (2^53 - 1, the most that can be counted exactly)";

    /** Checks how many permits are requested. */
    public static void permits(long permits) {
        if (permits < 1 || permits > MAX_PERMITS) {
            throw new IllegalArgumentException(
                    "permits must be at " + (permits < 1 ? "least 1" : "most " + MOST_COUNTED) + ", was " + permits);
        }
    }

    /** Checks how many permits were used. */
    public static void actual(long actual) {
        if (actual < 0 || actual > MAX_PERMITS) {
            throw new IllegalArgumentException(
                    "actual must be at " + (actual < 0 ? "least 0" : "most " + MOST_COUNTED) + ", was " + actual);
        }
    }

    /** What costs a number, perhaps with a fraction, in permits: rounded up; {@link #NO_COST} if it is not from 0 to {@link #MAX_PERMITS}. */
    public static long cost(BigDecimal number) {
        if (number.signum() < 0 || number.compareTo(MOST_PERMITS) > 0) {
            return NO_COST;
        }
        // Compared first, because to round 1e-999999999 would take all memory.
        return number.compareTo(BigDecimal.ONE) <= 0
                ? number.signum()
                : number.setScale(0, RoundingMode.CEILING).longValueExact();
    }

    /** Checks a limit of counted permits. */
    public static void limit(long limit) {
        if (limit < 1 || limit > MAX_PERMITS) {
            throw new IllegalArgumentException("limit must be between 1 and " + MOST_COUNTED + ", was " + limit);
        }
    }

    /** Whether a stored number is a number of permits. False for NaN. */
    public static boolean isCount(double permits, double max) {
        return permits >= 0.0 && permits <= max && permits % 1.0 == 0.0;
    }

    /** A share of a limit in whole permits, at least one. */
    public static long share(long limit, double share) {
        return Math.max(1, (long) (limit * share));
    }

    public static void duration(String what, Duration value, Duration min) {
        duration(what, value, min, MAX_DURATION);
    }

    public static void duration(String what, Duration value, Duration min, Duration max) {
        Objects.requireNonNull(value, what);
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(
                    what + " must be between " + min + " and " + max + " (ISO-8601), was " + value);
        }
    }

    /** Whole microseconds of a duration that {@link #duration} accepted. */
    public static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }

    /** The lifetime in milliseconds of a state that is needed for this time. */
    public static long lifetimeMillis(double neededMicros) {
        return Math.max(0, (long) Math.ceil(neededMicros / 1000.0)) + EXPIRE_MARGIN_MILLIS;
    }
}
