package io.limiter.step;

import io.limiter.internal.arithmetic.Ranges;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One request to a limit. An immutable value with {@code equals}. */
public final class Request {

    /** The largest id: Lua's numbers are doubles, which are exact up to here. */
    public static final long MAX_ID = (1L << 53) - 1;

    /**
     * How long a waiting request for a lease keeps its place: 3 s. Longer than the pause between two tries; so long those behind one
     * that crashed may have to wait.
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

        /** Take permits that were used already, available or not; later requests wait for them. Always granted. */
        CHARGE,

        /** Renew the lease of an id. Granted if the lease is live; otherwise nothing changes. */
        RENEW,

        /**
         * Take this instance's share of stored permits, at most those of the request. The {@linkplain Verdict#limit() limit} of
         * the verdict is how many it took, its wait the time until there is a permit if it took none, and its retry-after when
         * the instance may prefetch again, also if granted. See
         * {@link Request#prefetch}.
         */
        PREFETCH
    }

    private static final Request ONE = of(Action.TAKE, 1, 0, 0);

    private final Action action;
    private final long permits;
    private final long timeoutMicros;
    private final long id;

    private Request(Action action, long permits, long timeoutMicros, long id) {
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
        this.permits = permits;
        this.timeoutMicros = timeoutMicros;
        this.id = id;
    }

    /**
     * Any request.
     *
     * @param id of a lease, or {@link #ticketMicros()} of a refund, or {@link #callMicros()} of a prefetch; 0 for none
     */
    public static Request of(Action action, long permits, long timeoutMicros, long id) {
        return new Request(action, permits, timeoutMicros, id);
    }

    /** A request that takes; the most frequent one is always the same object. */
    public static Request take(long permits, long timeoutMicros) {
        return permits == 1 && timeoutMicros == 0 ? ONE : of(Action.TAKE, permits, timeoutMicros, 0);
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
     * @param permits most that the instance can use until its next call
     * @param timeMicros prefetch time, from 1 to {@link #MAX_PREFETCH_MICROS}
     * @param callMicros between two calls of the whole fleet at least, from 1 to {@link #MAX_CALL_MICROS}
     */
    public static Request prefetch(long permits, long timeMicros, long callMicros) {
        return of(Action.PREFETCH, permits, timeMicros, callMicros);
    }

    /** Acquires permits under a lease, until it is released or expires. */
    public static Request hold(long id, long permits) {
        return of(Action.TAKE, permits, 0, id);
    }

    /** As {@link #hold}, and keeps a place among those that wait if it is rejected, until it is granted or released. */
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

    /** Whether its permits are taken if it is granted. */
    public boolean takes() {
        return action == Action.TAKE || action == Action.CHARGE;
    }

    /**
     * Rejects what only some kinds of limit support: an id under which permits are held, and a prefetch.
     *
     * @param step of the limit that supports neither
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
    }

    /** A peek at what this request would be decided, without an id. */
    public Request asPeek() {
        return of(Action.PEEK, permits, timeoutMicros, 0);
    }

    /** This request with another timeout. */
    public Request withTimeoutMicros(long newTimeoutMicros) {
        return of(action, permits, newTimeoutMicros, id);
    }

    /** What to do with the permits. */
    public Action action() {
        return action;
    }

    /** From 1 to 2<sup>53</sup> - 1. */
    public long permits() {
        return permits;
    }

    /** How long the caller waits at most, in microseconds, at least 0. */
    public long timeoutMicros() {
        return timeoutMicros;
    }

    /** The id that its caller chose for a lease, from 1 to {@link #MAX_ID}; 0 for none. A limit without leases has none. */
    public long id() {
        return action == Action.PREFETCH ? 0 : id;
    }

    /**
     * The {@linkplain Verdict#ticketMicros() ticket} of the grant that a refund cancels; 0 for none, as in a refund of used permits.
     * A limit with leases has none.
     */
    public long ticketMicros() {
        return action == Action.REFUND ? id : 0;
    }

    /** The time between two calls that prefetch, in microseconds; 0 if this is no prefetch. */
    public long callMicros() {
        return action == Action.PREFETCH ? id : 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Request request
                && action == request.action
                && permits == request.permits
                && timeoutMicros == request.timeoutMicros
                && id == request.id;
    }

    @Override
    public int hashCode() {
        return Objects.hash(action, permits, timeoutMicros, id);
    }

    @Override
    public String toString() {
        return "Request[action=" + action + ", permits=" + permits + ", timeoutMicros=" + timeoutMicros + ", id=" + id
                + "]";
    }
}
