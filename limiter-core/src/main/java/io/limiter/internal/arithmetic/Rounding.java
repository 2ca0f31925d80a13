package io.limiter.internal.arithmetic;

/** How decisions round times and permits, in Java and Lua alike. */
public final class Rounding {

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

    private Rounding() {}

    /** Microseconds of a wait, rounded up unless the fraction is negligible. */
    public static double wholeMicros(double micros, double intervalMicros) {
        return roundUp(micros, negligibleMicros(intervalMicros));
    }

    public static double roundUp(double micros, double negligible) {
        double whole = Math.floor(micros);
        return micros - whole > negligible ? whole + 1.0 : whole;
    }

    /** Stored permits, rounded down unless the missing fraction is negligible. */
    public static double wholePermits(double permits, double intervalMicros) {
        return Math.floor(permits + negligibleMicros(intervalMicros) / intervalMicros);
    }

    public static double negligibleMicros(double intervalMicros) {
        return Math.min(NEGLIGIBLE_PERMITS * intervalMicros, NEGLIGIBLE_MICROS);
    }
}
