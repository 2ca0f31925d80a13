package io.limiter.internal.arithmetic;

import java.time.Duration;
import java.util.Objects;

/** Range checks with messages that name the value, the allowed range and, if not obvious, the remedy. */
public final class Check {

    /**
     * The longest period, burst, wait or expiry. With it, all times stay below 2<sup>53</sup> microseconds, where
     * doubles are exact.
     */
    public static final Duration MAX_DURATION = Duration.ofDays(1000);

    /** By how much a key outlives its state, which also says when it ends. */
    private static final long EXPIRE_MARGIN_MILLIS = 1000;

    private Check() {}

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

    /** Whether a stored number is a number of permits. False for NaN. */
    public static boolean isCount(double permits, double max) {
        return permits >= 0.0 && permits <= max && permits % 1.0 == 0.0;
    }

    /** A share of a limit in whole permits, at least one. */
    public static int share(int limit, double share) {
        return Math.max(1, (int) (limit * share));
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
