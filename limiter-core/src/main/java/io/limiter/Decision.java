package io.limiter;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.step.Verdict;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The decision on one request for permits. An immutable value with {@code equals}. Tests of applications can make one with {@link
 * #granted} or {@link #rejected}.
 *
 * <p>Times are rounded up to whole microseconds, so that a caller that waits that long is not too early. {@link #timeToWait()},
 * {@link #retryAfter()} and {@link #fullAfter()} return them as {@link Duration}.
 */
public final class Decision implements Serializable {

    /** What made the decision. */
    public enum Source {
        /** The backend: Redis, or the map of a local limiter. */
        BACKEND,
        /** The rejection cache: an earlier rejection of the backend is still valid. */
        REJECTION_CACHE,
        /** Permits that this instance has prefetched from the backend, or the fact that it has used them up. */
        PREFETCH,
        /** An instance alone, from state of its own, because the backend is unavailable. */
        LOCAL,
        /** The failure policy, because the backend is unavailable: fail open or fail closed. */
        POLICY,
        /**
         * An exemption or ban of the key, whatever its limit, by a live limit or a {@link io.limiter.algorithm.Ban}. No permits are taken.
         */
        OVERRIDE
    }

    private static final long serialVersionUID = 1L;

    /** Never, in microseconds. */
    private static final long NEVER_MICROS = Verdict.NEVER_MICROS;

    private static final long MICROS_PER_SECOND = 1_000_000;

    /** 292 years, the longest time that all conversions of {@link Duration} accept. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private final boolean granted;
    private final long limit;
    private final long remaining;
    private final long waitMicros;
    private final long retryAfterMicros;
    private final long fullAfterMicros;
    private final long periodEndMicros;
    private final Source source;

    Decision(
            boolean granted,
            long limit,
            long remaining,
            long waitMicros,
            long retryAfterMicros,
            long fullAfterMicros,
            long periodEndMicros,
            Source source) {
        this.granted = granted;
        this.limit = limit;
        this.remaining = remaining;
        this.waitMicros = waitMicros;
        this.retryAfterMicros = retryAfterMicros;
        this.fullAfterMicros = fullAfterMicros;
        this.periodEndMicros = periodEndMicros;
        this.source = Objects.requireNonNull(source, "source");
    }

    /** The decision that a verdict is for its caller. */
    public static Decision of(Verdict verdict, Source source) {
        Objects.requireNonNull(verdict, "verdict");
        return new Decision(
                verdict.isGranted(),
                verdict.limit(),
                verdict.remaining(),
                verdict.waitMicros(),
                verdict.retryAfterMicros(),
                verdict.fullAfterMicros(),
                verdict.periodEndMicros(),
                source);
    }

    /**
     * A grant by the backend whose permits may be used now.
     *
     * @param limit as {@link #limit()}
     * @param remaining as {@link #remaining()}
     * @param fullAfter as {@link #fullAfter()}, from 0 to 1,000 days
     */
    public static Decision granted(long limit, long remaining, Duration fullAfter) {
        return new Decision(true, limit, remaining, 0, 0, micros("fullAfter", fullAfter), 0, Source.BACKEND);
    }

    /**
     * A rejection by the backend, of a limit that is full when the request would be granted.
     *
     * @param limit as {@link #limit()}
     * @param remaining as {@link #remaining()}
     * @param retryAfter as {@link #retryAfter()}, from 0 to 1,000 days
     */
    public static Decision rejected(long limit, long remaining, Duration retryAfter) {
        long micros = micros("retryAfter", retryAfter);
        return new Decision(false, limit, remaining, micros, micros, micros, 0, Source.BACKEND);
    }

    private static long micros(String name, Duration duration) {
        Ranges.duration(name, duration, Duration.ZERO);
        return Ranges.micros(duration);
    }

    /** This decision with another source. */
    public Decision withSource(Source newSource) {
        return new Decision(
                granted, limit, remaining, waitMicros, retryAfterMicros, fullAfterMicros, periodEndMicros, newSource);
    }

    /**
     * This decision with the end of a period, for tests of applications.
     *
     * @param end as {@link #periodEnd()}
     */
    public Decision withPeriodEnd(Instant end) {
        return new Decision(
                granted,
                limit,
                remaining,
                waitMicros,
                retryAfterMicros,
                fullAfterMicros,
                ChronoUnit.MICROS.between(Instant.EPOCH, Objects.requireNonNull(end, "end")),
                source);
    }

    /** Whether the permits were granted. */
    public boolean isGranted() {
        return granted;
    }

    /** Whether the same request would never be granted, usually because it asks for more than the limit can ever grant. */
    public boolean isNever() {
        return !granted && retryAfterMicros == NEVER_MICROS;
    }

    /** The capacity of a bucket (at least 1), or the limit of a window. */
    public long limit() {
        return limit;
    }

    /** The remaining permits, rounded down. A bucket with {@link io.limiter.algorithm.WhoWaits#NEXT_CALLER} grants more. */
    public long remaining() {
        return remaining;
    }

    /** {@link #timeToWait()} in microseconds. */
    public long waitMicros() {
        return waitMicros;
    }

    /** {@link #retryAfter()} in microseconds: 0 if granted, and {@link Long#MAX_VALUE} if {@link #isNever()}. */
    public long retryAfterMicros() {
        return retryAfterMicros;
    }

    /** {@link #fullAfter()} in microseconds, or {@link Long#MAX_VALUE} if it is not known. */
    public long fullAfterMicros() {
        return fullAfterMicros;
    }

    /** What made the decision. */
    public Source source() {
        return source;
    }

    /**
     * How long a caller waits before it uses the granted permits (0 with a timeout of 0), or how long a rejected caller would have had to
     * wait. It is not called {@code wait}, because every object has a method of that name.
     */
    public Duration timeToWait() {
        return toDuration(waitMicros);
    }

    /**
     * The time until the same request would be granted if there are no others. It is empty if the request was granted, or would
     * {@linkplain #isNever() never} be.
     */
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

    /** The time until the limit is as if it had never been used, if there are no other requests. */
    public Duration fullAfter() {
        return toDuration(fullAfterMicros);
    }

    /**
     * When the period of this decision ends, according to the server's clock. For a {@link io.limiter.algorithm.FixedWindow}, it is the end of
     * the open window. For a window of the calendar, it is the end of the current period, even if the period is unused. It is empty if a
     * window has not opened yet because no permit was taken, for all other limits, and if no limit decided.
     */
    public Optional<Instant> periodEnd() {
        return periodEndMicros == 0
                ? Optional.empty()
                : Optional.of(Instant.EPOCH.plus(periodEndMicros, ChronoUnit.MICROS));
    }

    /** In microseconds since the epoch, or 0 for none. */
    long periodEndMicros() {
        return periodEndMicros;
    }

    private static Duration toDuration(long micros) {
        return micros == NEVER_MICROS ? LONGEST : Duration.of(micros, ChronoUnit.MICROS);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Decision decision
                && granted == decision.granted
                && limit == decision.limit
                && remaining == decision.remaining
                && waitMicros == decision.waitMicros
                && retryAfterMicros == decision.retryAfterMicros
                && fullAfterMicros == decision.fullAfterMicros
                && periodEndMicros == decision.periodEndMicros
                && source == decision.source;
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                granted, limit, remaining, waitMicros, retryAfterMicros, fullAfterMicros, periodEndMicros, source);
    }

    @Override
    public String toString() {
        return "Decision[granted=" + granted + ", limit=" + limit + ", remaining=" + remaining + ", waitMicros="
                + waitMicros + ", retryAfterMicros=" + retryAfterMicros + ", fullAfterMicros=" + fullAfterMicros
                + periodEnd().map(end -> ", periodEnd=" + end).orElse("") + ", source=" + source + "]";
    }
}
