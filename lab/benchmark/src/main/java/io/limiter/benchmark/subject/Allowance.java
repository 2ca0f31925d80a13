package io.limiter.benchmark.subject;

import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.Locale;

/**
 * The limit of each id: all permits of a period at once, and from then on as many in each period.
 *
 * @param permits at least 1
 * @param period at least a second, in whole seconds
 */
public record Allowance(long permits, Duration period) {

    public Allowance {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be at least 1, was " + permits);
        }
        if (period.toSeconds() < 1 || period.toNanosPart() != 0) {
            throw new IllegalArgumentException("period must be whole seconds, at least one, was " + period);
        }
    }

    public static Allowance perSecond(long permits) {
        return new Allowance(permits, Duration.ofSeconds(1));
    }

    public static Allowance perHour(long permits) {
        return new Allowance(permits, Duration.ofHours(1));
    }

    /** Such as {@code 1,000/s} and {@code 1/min}. */
    public String title() {
        String unit = period.equals(Duration.ofSeconds(1))
                ? "s"
                : period.equals(Duration.ofMinutes(1)) ? "min" : period.toSeconds() + " s";
        return String.format(Locale.ROOT, "%,d/%s", permits, unit);
    }

    /** The same limit for this library. */
    public TokenBucket tokenBucket() {
        return TokenBucket.of(permitsPerSecond(), period.toSeconds());
    }

    public double permitsPerSecond() {
        return (double) permits / period.toSeconds();
    }
}
