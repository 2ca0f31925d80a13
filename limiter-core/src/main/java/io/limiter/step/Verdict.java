package io.limiter.step;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The decision of a step on one request. The engine makes the decision for callers from it, with its source and without the
 * ticket. Times are whole microseconds, rounded up, so that a caller that waits that long is not too early. An immutable value with
 * {@code equals}.
 */
public final class Verdict {

    /** Never, in microseconds. */
    public static final long NEVER_MICROS = Long.MAX_VALUE;

    private final boolean granted;
    private final boolean warning;
    private final long limit;
    private final long remaining;
    // If the verdict warns, how many permits are used, because only windows warn, and they grant without a wait.
    private final long waitMicros;
    private final long retryAfterMicros;
    private final long fullAfterMicros;
    private final long ticketMicros;
    private final long periodEndMicros;
    private final long taken;

    private Verdict(
            boolean granted,
            boolean warning,
            long limit,
            long remaining,
            long waitMicros,
            long retryAfterMicros,
            long fullAfterMicros,
            long ticketMicros,
            long periodEndMicros,
            long taken) {
        this.granted = granted;
        this.warning = warning;
        this.limit = limit;
        this.remaining = remaining;
        this.waitMicros = waitMicros;
        this.retryAfterMicros = retryAfterMicros;
        this.fullAfterMicros = fullAfterMicros;
        this.ticketMicros = ticketMicros;
        this.periodEndMicros = periodEndMicros;
        this.taken = taken;
    }

    /**
     * A grant whose permits may be used now.
     *
     * @param limit the most permits that can be granted together
     * @param remaining the remaining permits, rounded down
     * @param fullAfterMicros the time until the limit is as if it had never been used, if there are no other requests
     */
    public static Verdict granted(long limit, long remaining, long fullAfterMicros) {
        return new Verdict(true, false, limit, remaining, 0, 0, fullAfterMicros, 0, 0, 0);
    }

    /**
     * A rejection of a caller that would have waited until the request is granted.
     *
     * @param limit the most permits that can be granted together
     * @param remaining the remaining permits, rounded down
     * @param retryAfterMicros the time until the same request would be granted, if there are no others, or {@link #NEVER_MICROS} if it
     *     never would be
     * @param fullAfterMicros the time until the limit is as if it had never been used, if there are no other requests
     */
    public static Verdict rejected(long limit, long remaining, long retryAfterMicros, long fullAfterMicros) {
        return new Verdict(
                false, false, limit, remaining, retryAfterMicros, retryAfterMicros, fullAfterMicros, 0, 0, 0);
    }

    /** This verdict with another wait. For a grant, it is the time until its permits may be used, and for a rejection, the time that would have been necessary. */
    public Verdict withWaitMicros(long newWaitMicros) {
        return new Verdict(
                granted,
                warning,
                limit,
                remaining,
                newWaitMicros,
                retryAfterMicros,
                fullAfterMicros,
                ticketMicros,
                periodEndMicros,
                taken);
    }

    /** This verdict with another retry-after, which a granted prefetch has, too. */
    public Verdict withRetryAfterMicros(long newRetryAfterMicros) {
        return new Verdict(
                granted,
                warning,
                limit,
                remaining,
                waitMicros,
                newRetryAfterMicros,
                fullAfterMicros,
                ticketMicros,
                periodEndMicros,
                taken);
    }

    /**
     * This verdict with a ticket, which identifies the granted permits for {@link Request#cancel}. It is a server time in microseconds since the
     * epoch, and for a bucket the time up to which its permits are taken. 0 for none.
     */
    public Verdict withTicketMicros(long newTicketMicros) {
        return new Verdict(
                granted,
                warning,
                limit,
                remaining,
                waitMicros,
                retryAfterMicros,
                fullAfterMicros,
                newTicketMicros,
                periodEndMicros,
                taken);
    }

    /**
     * This verdict with the end of the period in which it counts, in microseconds since the epoch by the server's clock, or 0 for none.
     */
    public Verdict withPeriodEndMicros(long newPeriodEndMicros) {
        return new Verdict(
                granted,
                warning,
                limit,
                remaining,
                waitMicros,
                retryAfterMicros,
                fullAfterMicros,
                ticketMicros,
                newPeriodEndMicros,
                taken);
    }

    /**
     * This verdict with the number of permits that were taken by a request that {@linkplain Request#takesFewer() takes fewer} if not all are
     * available. For a rejection, it is the number that it would have taken if it {@linkplain Request#leave() left} none to others.
     */
    public Verdict withTaken(long newTaken) {
        return new Verdict(
                granted,
                warning,
                limit,
                remaining,
                waitMicros,
                retryAfterMicros,
                fullAfterMicros,
                ticketMicros,
                periodEndMicros,
                newTaken);
    }

    /**
     * This verdict, which warns that this number of permits is used in its period, more than ever before in it. It has no wait.
     *
     * @param used from 1, and more than the limit if more were charged
     */
    public Verdict withWarning(long used) {
        return new Verdict(
                granted,
                true,
                limit,
                remaining,
                used,
                retryAfterMicros,
                fullAfterMicros,
                ticketMicros,
                periodEndMicros,
                taken);
    }

    public boolean isGranted() {
        return granted;
    }

    /** The capacity of a bucket (at least 1), or the limit of a window. */
    public long limit() {
        return limit;
    }

    /** The remaining permits, rounded down. */
    public long remaining() {
        return remaining;
    }

    /** How many permits are used in the period if this verdict warns of it, or 0 if it does not. */
    public long usedAtWarning() {
        return warning ? waitMicros : 0;
    }

    /** How long a granted caller waits before it uses the permits, or a rejected one would have had to wait. */
    public long waitMicros() {
        return warning ? 0 : waitMicros;
    }

    /** 0 if granted. Otherwise, the time until the same request would be granted, or {@link #NEVER_MICROS}. */
    public long retryAfterMicros() {
        return retryAfterMicros;
    }

    /** The time until the limit is as if it had never been used, if there are no other requests. */
    public long fullAfterMicros() {
        return fullAfterMicros;
    }

    /** Identifies the granted permits for {@link Request#cancel}. 0 for none. */
    public long ticketMicros() {
        return ticketMicros;
    }

    /** When the period ends in which it counts, in microseconds since the epoch, or 0 for none. */
    public long periodEndMicros() {
        return periodEndMicros;
    }

    /** How many permits the request has got on which this is the verdict: none if it is rejected. */
    public long takenBy(Request request) {
        Objects.requireNonNull(request, "request");
        return !granted ? 0 : taken == 0 ? request.permits() : taken;
    }

    /** Whether a request was rejected only for the permits that it leaves to others. */
    public boolean isForLeave() {
        return !granted && taken != 0;
    }

    /** How many permits a granted request took that takes fewer if not all are available, or 0 for any other, which took all of its permits. */
    public long taken() {
        return taken;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Verdict verdict
                && granted == verdict.granted
                && warning == verdict.warning
                && limit == verdict.limit
                && remaining == verdict.remaining
                && waitMicros == verdict.waitMicros
                && retryAfterMicros == verdict.retryAfterMicros
                && fullAfterMicros == verdict.fullAfterMicros
                && ticketMicros == verdict.ticketMicros
                && periodEndMicros == verdict.periodEndMicros
                && taken == verdict.taken;
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                granted,
                warning,
                limit,
                remaining,
                waitMicros,
                retryAfterMicros,
                fullAfterMicros,
                ticketMicros,
                periodEndMicros,
                taken);
    }

    @Override
    public String toString() {
        return "Verdict[granted=" + granted + ", limit=" + limit + ", remaining=" + remaining() + ", waitMicros="
                + waitMicros()
                + ", retryAfterMicros=" + retryAfterMicros + ", fullAfterMicros=" + fullAfterMicros + ", ticketMicros="
                + ticketMicros + (periodEndMicros == 0 ? "" : ", periodEndMicros=" + periodEndMicros)
                + (taken == 0 ? "" : ", taken=" + taken)
                + (warning ? ", usedAtWarning=" + usedAtWarning() : "") + "]";
    }
}
