package io.limiter.algorithm;

import java.io.Serializable;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The decision on one request for permits.
 *
 * <p>The components hold whole microseconds, rounded up, so that a caller that waits that long is not too early; {@link
 * #timeToWait()}, {@link #retryAfter()} and {@link #fullAfter()} give them as {@link Duration}.
 *
 * @param granted whether the permits were granted
 * @param limit the capacity of a bucket (at least 1), or the limit of a window
 * @param remaining permits left, rounded down; a bucket with {@link WhoWaits#NEXT_CALLER} grants more
 * @param waitMicros how long a granted caller waits before it uses the permits (0 at timeout 0), or a rejected one
 *     would have had to wait
 * @param retryAfterMicros 0 if granted; otherwise the time until the same request would be granted, if there are no
 *     others; {@link #NEVER_MICROS} if it never would, for example because it is for more than the capacity
 * @param fullAfterMicros the time until the limit is as if it had never been used, if there are no other requests
 * @param source what decided
 * @param ticketMicros for limits and engines: identifies the granted permits for {@link Request#cancel}, as a server time in
 *     microseconds since the epoch; of a bucket, the time up to which its permits are taken; 0 for none
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

    /** What decided. */
    public enum Source {
        /** The backend: Redis, or the map of a local limiter. */
        BACKEND,
        /** The rejection cache: an earlier rejection of the backend is still valid. */
        REJECTION_CACHE,
        /** Permits that this instance prefetched from the backend, or has used up. */
        PREFETCH,
        /** The local fallback, because the backend is unavailable. */
        LOCAL,
        /** The failure policy, because the backend is unavailable: fail open or fail closed. */
        POLICY,
        /** What exempts or bans the key, whatever its limit: a live limit, or a {@link Ban}; no permits are taken. */
        OVERRIDE
    }

    private static final long MICROS_PER_SECOND = 1_000_000;

    public Decision {
        Objects.requireNonNull(source, "source");
    }

    /** Never, in microseconds. */
    public static final long NEVER_MICROS = Long.MAX_VALUE;

    /** 292 years, the longest time that all conversions of {@link Duration} accept. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    /** A decision of the backend. */
    public Decision(
            boolean granted, long limit, long remaining, long waitMicros, long retryAfterMicros, long fullAfterMicros) {
        this(granted, limit, remaining, waitMicros, retryAfterMicros, fullAfterMicros, Source.BACKEND);
    }

    /** A decision without a ticket. */
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

    /** A decision of a limit without reservations, where a caller waits only to retry. */
    static Decision withoutReservations(
            boolean granted,
            long limit,
            double remaining,
            long retryAfterMicros,
            long fullAfterMicros,
            long ticketMicros) {
        return new Decision(
                granted,
                limit,
                (long) Math.max(0.0, remaining),
                retryAfterMicros,
                retryAfterMicros,
                fullAfterMicros,
                Source.BACKEND,
                ticketMicros);
    }

    /** This decision with another source. */
    public Decision withSource(Source newSource) {
        return new Decision(
                granted, limit, remaining, waitMicros, retryAfterMicros, fullAfterMicros, newSource, ticketMicros);
    }

    /** {@link #waitMicros()}; not called {@code wait}, which every object has. */
    public Duration timeToWait() {
        return toDuration(waitMicros);
    }

    /** {@link #retryAfterMicros()}; empty if granted, or if the same request would never be granted. */
    public Optional<Duration> retryAfter() {
        return granted || retryAfterMicros == NEVER_MICROS
                ? Optional.empty()
                : Optional.of(toDuration(retryAfterMicros));
    }

    /** {@link #retryAfter()} in whole seconds, rounded up and at least 1, as in HTTP's {@code Retry-After}. */
    public OptionalLong retryAfterSeconds() {
        return retryAfter().isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(1, (retryAfterMicros + MICROS_PER_SECOND - 1) / MICROS_PER_SECOND));
    }

    /** {@link #fullAfterMicros()}. */
    public Duration fullAfter() {
        return toDuration(fullAfterMicros);
    }

    private static Duration toDuration(long micros) {
        return micros == NEVER_MICROS ? LONGEST : Duration.of(micros, ChronoUnit.MICROS);
    }
}
