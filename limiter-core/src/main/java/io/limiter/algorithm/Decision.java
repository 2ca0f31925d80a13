package io.limiter.algorithm;

import java.io.Serializable;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;

/**
 * The answer to one request for permits.
 *
 * <p>The components hold whole microseconds, rounded up, so that whoever waits that long does not come too early;
 * {@link #timeToWait()}, {@link #retryAfter()} and {@link #resetAfter()} give them as {@link Duration}. A time that
 * will not come is {@link #NEVER_MICROS} or {@link #NEVER}.
 *
 * @param granted whether the permits were given
 * @param limit the most permits that can be there at once: a bucket's size (1 if it is smaller), a window's limit
 * @param remaining whole permits that are there; a bucket in Guava's way grants more than that
 * @param waitMicros how far ahead of the decision the permits lie: what a granted caller waits before it goes on (0 at
 *     timeout 0), and what a refused one would have had to wait
 * @param retryAfterMicros 0 if granted; otherwise when the same request, with the same timeout, would be granted if
 *     nobody else asked meanwhile
 * @param resetAfterMicros when the limit is as if it had never been used, if nobody asks meanwhile
 */
public record Decision(
        boolean granted, long limit, long remaining, long waitMicros, long retryAfterMicros, long resetAfterMicros)
        implements Serializable {

    private static final long MICROS_PER_SECOND = 1_000_000;

    /** The microseconds of a time that will not come. */
    public static final long NEVER_MICROS = Long.MAX_VALUE;

    /** A time that will not come: a request for more permits than there can ever be. */
    public static final Duration NEVER = ChronoUnit.FOREVER.getDuration();

    /** {@link #waitMicros()}; not called {@code wait}, which every object has. */
    public Duration timeToWait() {
        return toDuration(waitMicros);
    }

    /** {@link #retryAfterMicros()}. */
    public Duration retryAfter() {
        return toDuration(retryAfterMicros);
    }

    /**
     * {@link #retryAfterMicros()} in whole seconds, rounded up and at least 1, as HTTP's {@code Retry-After} wants it;
     * empty if granted, or if it will never be.
     */
    public OptionalLong retryAfterSeconds() {
        if (granted || retryAfterMicros == NEVER_MICROS) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Math.max(1, (retryAfterMicros + MICROS_PER_SECOND - 1) / MICROS_PER_SECOND));
    }

    /** {@link #resetAfterMicros()}. */
    public Duration resetAfter() {
        return toDuration(resetAfterMicros);
    }

    private static Duration toDuration(long micros) {
        return micros == NEVER_MICROS ? NEVER : Duration.of(micros, ChronoUnit.MICROS);
    }
}
