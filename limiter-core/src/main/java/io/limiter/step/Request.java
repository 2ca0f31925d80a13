package io.limiter.step;

import io.limiter.internal.arithmetic.Ranges;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One request to a limit. An immutable value with {@code equals}. */
public final class Request {

    /** The largest id, because Lua's numbers are doubles, which are exact up to here. */
    public static final long MAX_ID = (1L << 53) - 1;

    /**
     * How long a waiting request for a lease keeps its place: 3 s. That is longer than the pause between two tries. Requests behind one that crashed
     * may have to wait for that time.
     */
    public static final long TICKET_MICROS = 3_000_000;

    /** The longest prefetch time, in microseconds: 10 s. */
    public static final long MAX_PREFETCH_MICROS = 10_000_000;

    /** The longest time between two calls that prefetch, in microseconds: 1 s. */
    public static final long MAX_CALL_MICROS = 1_000_000;

    /** What to do with the permits. */
    public enum Action {

        /** Take all of them, or none. */
        TAKE,

        /** Decide without taking any permits. */
        PEEK,

        /** Return unused permits, up to the capacity: a refund, a cancellation or a release. Always granted. */
        REFUND,

        /** Take permits that were used already, available or not, so that later requests wait for them. Always granted. */
        CHARGE,

        /** Renew the lease of an id. Granted if the lease is live, and otherwise nothing changes. */
        RENEW,

        /**
         * Take this instance's share of stored permits, at most those of the request. The {@linkplain Verdict#limit() limit} of the verdict is how
         * many it took. Its wait is the time until there is a permit if it took none, and its retry-after, even if granted, is when the instance may
         * prefetch again. See {@link Request#prefetch}.
         */
        PREFETCH
    }

    private static final Request ONE = of(Action.TAKE, 1, 0, 0);

    private final Action action;
    private final long permits;
    private final long timeoutMicros;
    private final long id;
    private final long least;
    private final long leave;

    private Request(Action action, long permits, long timeoutMicros, long id, long least, long leave) {
        this.action = Objects.requireNonNull(action, "action");
        Ranges.permits(permits);
        if (timeoutMicros < 0) {
            throw new IllegalArgumentException("timeoutMicros must be at least 0, was " + timeoutMicros);
        }
        if (id < 0 || id > MAX_ID || action == Action.RENEW && id == 0) {
            throw new IllegalArgumentException("id must be from 1 to " + MAX_ID + ", or 0 for none, was " + id);
        }
        if (action == Action.PREFETCH) {
            Ranges.range("prefetch time (microseconds)", timeoutMicros, 1, MAX_PREFETCH_MICROS);
            Ranges.range("time between calls (microseconds)", id, 1, MAX_CALL_MICROS);
        }
        if (least != permits || leave != 0) {
            Ranges.range("least permits of " + permits, least, 1, permits);
            Ranges.range("permits to leave", leave, 0, Ranges.MAX_PERMITS);
            boolean isOfSuchKind = least == permits
                    ? action != Action.RENEW && action != Action.PREFETCH
                    : action == Action.TAKE || action == Action.PEEK;
            if (!isOfSuchKind || timeoutMicros != 0 || id != 0 && action != Action.REFUND) {
                throw new IllegalArgumentException(
                        "a request that takes fewer permits if there are not enough, or leaves"
                                + " some, has neither a timeout nor an id, was " + action + " with timeoutMicros "
                                + timeoutMicros
                                + " and id " + id);
            }
        }
        this.permits = permits;
        this.timeoutMicros = timeoutMicros;
        this.id = id;
        this.least = least;
        this.leave = leave;
    }

    /**
     * Any request.
     *
     * @param id the id of a lease, the {@link #ticketMicros()} of a refund, the {@link #callMicros()} of a prefetch, or 0 for none
     */
    public static Request of(Action action, long permits, long timeoutMicros, long id) {
        return new Request(action, permits, timeoutMicros, id, permits, 0);
    }

    /** A request that takes permits. The most frequent one is always the same object. */
    public static Request take(long permits, long timeoutMicros) {
        return permits == 1 && timeoutMicros == 0 ? ONE : of(Action.TAKE, permits, timeoutMicros, 0);
    }

    /** A request that takes all permits that are available, at least one and at most these, and waits for none. */
    public static Request takeUpTo(long permits) {
        return new Request(Action.TAKE, permits, 0, 0, 1, 0);
    }

    /** A request that decides as {@link #take} would, and takes nothing. */
    public static Request peek(long permits, long timeoutMicros) {
        return of(Action.PEEK, permits, timeoutMicros, 0);
    }

    public static Request refund(long permits) {
        return of(Action.REFUND, permits, 0, 0);
    }

    /**
     * Cancels a grant as if it had not been made, as far as there are no later reservations. Permits that no longer
     * count, for example those of a window that has ended, are not returned.
     */
    public static Request cancel(long permits, Verdict taken) {
        return of(
                Action.REFUND,
                permits,
                0,
                Objects.requireNonNull(taken, "taken").ticketMicros());
    }

    public static Request charge(long permits) {
        return of(Action.CHARGE, permits, 0, 0);
    }

    /**
     * Prefetches permits of a token bucket.
     *
     * @param permits how many the instance can use at most until its next call
     * @param timeMicros the prefetch time, from 1 to {@link #MAX_PREFETCH_MICROS}
     * @param callMicros the shortest time between two calls of the whole fleet, from 1 to {@link #MAX_CALL_MICROS}
     */
    public static Request prefetch(long permits, long timeMicros, long callMicros) {
        return of(Action.PREFETCH, permits, timeMicros, callMicros);
    }

    /** Acquires permits under a lease, until it is released or expires. */
    public static Request hold(long id, long permits) {
        return of(Action.TAKE, permits, 0, id);
    }

    /** As {@link #hold}, but if it is rejected, it keeps a place among the waiting requests until it is granted or released. */
    public static Request holdOrWait(long id, long permits) {
        return of(Action.TAKE, permits, TICKET_MICROS, id);
    }

    /** Renews the lease of an id. */
    public static Request renew(long id) {
        return of(Action.RENEW, 1, 0, id);
    }

    /** Releases all permits of an id. */
    public static Request release(long id) {
        return of(Action.REFUND, 1, 0, id);
    }

    public boolean isPeek() {
        return action == Action.PEEK;
    }

    /** Whether it is granted only if there are enough permits. */
    public boolean mayBeRejected() {
        return action == Action.TAKE || action == Action.PEEK;
    }

    /** Whether it is granted for all of its permits or none, whatever it leaves to others, like most requests. */
    public boolean isPlain() {
        return least == permits && leave == 0;
    }

    /** Whether it takes fewer permits if not all are available. */
    public boolean takesFewer() {
        return least != permits;
    }

    /** Whether its permits are taken if it is granted. */
    public boolean takes() {
        return action == Action.TAKE || action == Action.CHARGE;
    }

    /**
     * Rejects requests that only some kinds of limit support: an id under which permits are held, a prefetch, and requests that the limit says it
     * does not support.
     *
     * @param step the step of the limit
     * @throws IllegalArgumentException if this is such a request
     */
    public void checkNoId(LimitStep<?> step) {
        Objects.requireNonNull(step, "step");
        if (action == Action.PREFETCH) {
            throw new IllegalArgumentException("only permits of a TokenBucket can be prefetched, was " + step);
        }
        if (id != 0 && action != Action.REFUND) {
            throw new IllegalArgumentException(
                    "the permits of a " + step.getClass().getSimpleName() + " are not held under an id, was " + this);
        }
        if (leave != 0 && !step.leavesPermits()) {
            throw new IllegalArgumentException(
                    "permits can be left to others only of a FixedWindow, SlidingLog, SlidingCounter, a TokenBucket whose caller"
                            + " waits, and a limit whose step says leavesPermits(), was " + this + " to " + step);
        }
    }

    /** A peek at the decision on this request, without an id. */
    public Request asPeek() {
        return new Request(Action.PEEK, permits, timeoutMicros, 0, least, leave);
    }

    /** This request, which is also granted for fewer permits if not all are available, from 1 to its permits. */
    public Request withLeast(long newLeast) {
        return new Request(action, permits, timeoutMicros, id, newLeast, leave);
    }

    /**
     * This request, granted only if this number of permits is left afterwards. It does not take those. A request that cannot be rejected takes or
     * returns its permits in any case, and its verdict says how many remain in addition to those that are left.
     *
     * @param newLeave from 0 to 2<sup>53</sup> - 1
     */
    public Request withLeave(long newLeave) {
        return new Request(action, permits, timeoutMicros, id, least, newLeave);
    }

    /** This request with another timeout. */
    public Request withTimeoutMicros(long newTimeoutMicros) {
        return new Request(action, permits, newTimeoutMicros, id, least, leave);
    }

    /** What to do with the permits. */
    public Action action() {
        return action;
    }

    /** The most permits that it takes, from 1 to 2<sup>53</sup> - 1. */
    public long permits() {
        return permits;
    }

    /** The fewest permits for which it is granted, usually all. */
    public long least() {
        return least;
    }

    /** How many permits it leaves to others, usually 0. */
    public long leave() {
        return leave;
    }

    /** How many permits must be available so that it is granted, which are those that it takes and those that it leaves. */
    public long needed() {
        return neededFor(least);
    }

    /** How many permits must be available so that it is granted for this number. */
    public long neededFor(long taken) {
        return mayBeRejected() ? taken + leave : taken;
    }

    /**
     * How many permits it takes if this number is free.
     *
     * @param free whole permits without those that it leaves, which may be negative
     */
    public long takenOf(double free) {
        return least == permits ? permits : (long) Math.max(least, Math.min(permits, free));
    }

    /** How long the caller waits at most, in microseconds, at least 0. */
    public long timeoutMicros() {
        return timeoutMicros;
    }

    /** The id that its caller chose for a lease, from 1 to {@link #MAX_ID}, or 0 for none. A limit without leases has none. */
    public long id() {
        return action == Action.PREFETCH ? 0 : id;
    }

    /**
     * The {@linkplain Verdict#ticketMicros() ticket} of the grant that a refund cancels, or 0 for none, as in a refund of used permits.
     * A limit with leases has none.
     */
    public long ticketMicros() {
        return action == Action.REFUND ? id : 0;
    }

    /** The time between two calls that prefetch, in microseconds, or 0 if this is not a prefetch. */
    public long callMicros() {
        return action == Action.PREFETCH ? id : 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Request request
                && action == request.action
                && permits == request.permits
                && timeoutMicros == request.timeoutMicros
                && id == request.id
                && least == request.least
                && leave == request.leave;
    }

    @Override
    public int hashCode() {
        return Objects.hash(action, permits, timeoutMicros, id, least, leave);
    }

    @Override
    public String toString() {
        return "Request[action=" + action + ", permits=" + permits + ", timeoutMicros=" + timeoutMicros + ", id=" + id
                + (takesFewer() ? ", least=" + least : "") + (leave == 0 ? "" : ", leave=" + leave) + "]";
    }
}
