package io.limiter.algorithm;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.arithmetic.Rounding;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks which parameters a {@link TokenBucket} may have, alone and together. */
final class BucketChecks {

    static final double MAX_BURST = Ranges.MAX_DURATION.toSeconds();

    private static final double MIN_BURST = 1e-9;

    private BucketChecks() {}

    static void check(
            double permitsPerSecond,
            double burstSeconds,
            double minCapacity,
            @Nullable WarmUp warmUp,
            WhoWaits whoWaits,
            boolean startsFull,
            Duration maxWait) {
        Ranges.range("rate (permits per second)", permitsPerSecond, TokenBucket.MIN_RATE, TokenBucket.MAX_RATE);
        Ranges.range("capacity (permits)", minCapacity, 0, TokenBucket.MAX_CAPACITY);
        Ranges.range("burst (seconds)", burstSeconds, minCapacity > 0 ? 0 : MIN_BURST, MAX_BURST);
        double permits = TokenBucket.maxPermits(permitsPerSecond, burstSeconds, minCapacity, warmUp);
        // The product of two rounded numbers may be slightly above the maximum.
        if (Math.rint(permits) > TokenBucket.MAX_CAPACITY) {
            throw new IllegalArgumentException("capacity must be at most " + TokenBucket.MAX_CAPACITY + " permits, was "
                    + permits
                    + ": at " + permitsPerSecond + "/s, choose a shorter "
                    + (warmUp == null ? "burst than " + burstSeconds + " s" : "warm-up than " + warmUp.period()));
        }
        // So may the quotient, as of a share.
        if (warmUp == null && Math.rint(minCapacity / permitsPerSecond) > MAX_BURST) {
            throw new IllegalArgumentException("capacity must fill in at most " + MAX_BURST + " s, was " + minCapacity
                    + " permits, which take " + minCapacity / permitsPerSecond + " s at " + permitsPerSecond
                    + "/s: choose a smaller capacity, or a higher rate");
        }
        Ranges.duration("maxWait", maxWait, Duration.ZERO);
        Objects.requireNonNull(whoWaits, "whoWaits");
        if (warmUp != null && whoWaits != WhoWaits.NEXT_CALLER) {
            throw new IllegalArgumentException("a warm-up works only with whoWaits NEXT_CALLER, was " + whoWaits
                    + ": stored permits cost time there, so a caller who waits for its own would never be first");
        }
        if (warmUp != null && !startsFull) {
            throw new IllegalArgumentException(
                    "a bucket with a warm-up starts cold, with all of its permits stored: set startsFull to true, or leave out the warm-up");
        }
        if (warmUp == null && whoWaits == WhoWaits.CALLER) {
            double wait = waitOfFullBucket(permitsPerSecond, permits);
            if (wait > Ranges.micros(maxWait)) {
                String orElse = ", or maxWait at least " + wait / 1e6 + " s";
                throw tooSmall(permitsPerSecond, permits, orElse, "with a maxWait of " + maxWait);
            }
        }
    }

    /** How long the only caller of a full bucket waits for a permit. */
    static double waitOfFullBucket(double rate, double permits) {
        double intervalMicros = 1000.0 / rate * 1000.0;
        return Rounding.wholeMicros(Math.max(0.0, 1.0 - permits) * intervalMicros, intervalMicros);
    }

    static IllegalArgumentException tooSmall(double rate, double permits, String orElse, String wait) {
        return new IllegalArgumentException("capacity must be at least 1 permit (at " + rate + "/s a burst of "
                + 1.0 / rate + " s), was " + permits + orElse + ": no call would ever be granted " + wait);
    }
}
