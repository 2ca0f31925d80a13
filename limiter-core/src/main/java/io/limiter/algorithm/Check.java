package io.limiter.algorithm;

import java.time.Duration;
import java.util.Objects;

/** Range checks whose messages name the value, the allowed range and, where it is not obvious, the remedy. */
final class Check {

    /**
     * The longest period, burst, wait or expiry: long enough for every plan, and short enough that all times stay
     * below 2<sup>53</sup> microseconds, where a double still holds each of them exactly.
     */
    static final Duration MAX_DURATION = Duration.ofDays(1000);

    private Check() {}

    static void range(String what, double value, double min, double max) {
        // Written so that NaN fails.
        if (!(value >= min && value <= max)) {
            throw new IllegalArgumentException(what + " must be between " + min + " and " + max + ", was " + value);
        }
    }

    static void moreThan(String what, double value, double bound, double max) {
        if (!(value > bound && value <= max)) {
            throw new IllegalArgumentException(
                    what + " must be more than " + bound + " and at most " + max + ", was " + value);
        }
    }

    static void range(String what, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " must be between " + min + " and " + max + ", was " + value);
        }
    }

    /** A share of a limit in whole permits, at least one. */
    static int share(int limit, double share) {
        return Math.max(1, (int) (limit * share));
    }

    static void duration(String what, Duration value, Duration min) {
        Objects.requireNonNull(value, what);
        if (value.compareTo(min) < 0 || value.compareTo(MAX_DURATION) > 0) {
            throw new IllegalArgumentException(
                    what + " must be between " + min + " and " + MAX_DURATION + " (ISO-8601), was " + value);
        }
    }

    /** For limits that have no holders: only what is given back may name its ticket. */
    static void noId(Request request, Limit<?> limit) {
        if (request.id() != 0 && request.action() != Request.Action.REFUND) {
            throw new IllegalArgumentException("the permits of a "
                    + limit.getClass().getSimpleName() + " are not held under an id, was " + request);
        }
    }

    /** Whole microseconds of a duration that {@link #duration} let pass. */
    static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }
}
