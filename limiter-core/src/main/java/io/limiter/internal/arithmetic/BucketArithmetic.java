package io.limiter.internal.arithmetic;

/** What a bucket computes in the same way whether its state is replaced or changed in place. */
public final class BucketArithmetic {

    /**
     * How far ahead a reservation may be without being recorded, and the largest clock step for which the bucket waits.
     */
    public static final double HOUR_MICROS = 3_600_000_000.0;

    private BucketArithmetic() {}

    /** Whole microseconds of a time in milliseconds. */
    public static double wholeMicros(double millis) {
        return Math.floor(millis * 1000.0 + 0.5);
    }

    /** Stored permits after a time in which permits accrued. */
    public static double refilled(double storedPermits, double maxPermits, double idleMicros, double microsPerPermit) {
        return Math.min(maxPermits, storedPermits + idleMicros / microsPerPermit);
    }

    /** The ticket of a reservation that ends at this time. Rounded down, so that its cancellation never restores too much. */
    public static long ticket(double tailMicros) {
        return (long) Math.max(1.0, Math.floor(tailMicros));
    }
}
