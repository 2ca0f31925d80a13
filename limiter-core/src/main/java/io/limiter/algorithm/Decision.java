package io.limiter.algorithm;

import java.io.Serializable;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;

/**
 * The answer to one request for permits.
 *
 * <p>The components hold whole microseconds, rounded up, so that whoever waits that long does not come too early;
 * {@link #timeToWait()}, {@link #retryAfter()} and {@link #fullAfter()} give them as {@link Duration}. A time that
 * will not come is {@link #NEVER_MICROS} or {@link #NEVER}.
 *
 * @param granted whether the permits were given
 * @param limit the most permits that can be there at once: a bucket's size (1 if it is smaller), a window's limit
 * @param remaining whole permits that are there; a bucket in Guava's way grants more than that
 * @param waitMicros how far ahead of the decision the permits lie: what a granted caller waits before it goes on (0 at
 *     timeout 0), and what a rejected one would have had to wait
 * @param retryAfterMicros 0 if granted; otherwise when the same request, with the same timeout, would be granted if
 *     nobody else asked meanwhile
 * @param fullAfterMicros when the limit is as if it had never been used, if nobody asks meanwhile
 * @param source what it comes from
 * @param ticketMicros what tells the granted permits apart when they are cancelled, a moment by the server's clock in
 *     microseconds since the epoch; 0 if there is nothing to tell apart
 */
public record Decision(
        boolean granted,
        long limit,
        long remaining,
        long waitMicros,
        long retryAfterMicros,
        long fullAfterMicros,
        Source source,
        long ticketMicros)
        implements Serializable {

    /** What a decision can come from. */
    public enum Source {
        /** What holds the limiter's state: Redis, or the map of a local limiter. */
        BACKEND,
        /** An earlier rejection of the backend, which still holds. */
        REJECTION_CACHE,
        /** Permits that were taken from the backend ahead. */
        PREFETCH,
        /** This JVM alone, because the backend did not decide. */
        LOCAL,
        /** What was settled for a backend that does not decide: all are granted, or all rejected. */
        POLICY
    }

    private static final long MICROS_PER_SECOND = 1_000_000;

    /** The microseconds of a time that will not come. */
    public static final long NEVER_MICROS = Long.MAX_VALUE;

    /**
     * A time that will not come: a request for more permits than there can ever be. It is the longest that all conversions of
     * {@link Duration} can take, 292 years, so whoever converts it gets no exception.
     */
    public static final Duration NEVER = Duration.ofNanos(Long.MAX_VALUE);

    /** One of the backend. */
    public Decision(
            boolean granted, long limit, long remaining, long waitMicros, long retryAfterMicros, long fullAfterMicros) {
        this(granted, limit, remaining, waitMicros, retryAfterMicros, fullAfterMicros, Source.BACKEND);
    }

    /** One without a ticket. */
    public Decision(
            boolean granted,
            long limit,
            long remaining,
            long waitMicros,
            long retryAfterMicros,
            long fullAfterMicros,
            Source source) {
        this(granted, limit, remaining, waitMicros, retryAfterMicros, fullAfterMicros, source, 0);
    }

    /** The same from elsewhere. */
    public Decision from(Source newSource) {
        return new Decision(
                granted, limit, remaining, waitMicros, retryAfterMicros, fullAfterMicros, newSource, ticketMicros);
    }

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

    /** {@link #fullAfterMicros()}. */
    public Duration fullAfter() {
        return toDuration(fullAfterMicros);
    }

    private static Duration toDuration(long micros) {
        return micros == NEVER_MICROS ? NEVER : Duration.of(micros, ChronoUnit.MICROS);
    }
}
