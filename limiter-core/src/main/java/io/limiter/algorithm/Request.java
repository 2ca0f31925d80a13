package io.limiter.algorithm;

import io.limiter.internal.arithmetic.Check;
import java.util.Objects;

/**
 * One request to a {@link Limit}.
 *
 * @param action what to do with the permits
 * @param permits from 1 to 2<sup>53</sup> - 1
 * @param timeoutMicros how long the caller waits at most, in microseconds, at least 0
 * @param id identifies granted permits, from 1 to {@link #MAX_ID}; 0 for none. In a {@link ConcurrencyLimit}, the
 *     caller chooses it; in other limits, it is the {@linkplain Decision#ticketMicros() ticket} of the decision. Of a
 *     prefetch, the microseconds between two calls
 */
public record Request(Action action, long permits, long timeoutMicros, long id) {

    /** The largest id: Lua's numbers are doubles, which are exact up to here. */
    public static final long MAX_ID = (1L << 53) - 1;

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
         * Take this instance's share of stored permits, at most those of the request. The {@linkplain Decision#limit() limit} of
         * the decision is how many it took, its wait the time until there is a permit if it took none, and its retry-after when
         * the instance may prefetch again, also if granted. See
         * {@link Request#prefetch}.
         */
        PREFETCH
    }

    private static final Request ONE = new Request(Action.TAKE, 1, 0);

    public Request {
        Objects.requireNonNull(action, "action");
        Check.permits(permits);
        if (timeoutMicros < 0) {
            throw new IllegalArgumentException("timeoutMicros must be at least 0, was " + timeoutMicros);
        }
        if (id < 0 || id > MAX_ID || action == Action.RENEW && id == 0) {
            throw new IllegalArgumentException("id must be from 1 to " + MAX_ID + ", or 0 for none, was " + id);
        }
        if (action == Action.PREFETCH) {
            Check.range("prefetch time (microseconds)", timeoutMicros, 1, MAX_PREFETCH_MICROS);
            Check.range("time between calls (microseconds)", id, 1, MAX_CALL_MICROS);
        }
    }

    /** A request without an id. */
    public Request(Action action, long permits, long timeoutMicros) {
        this(action, permits, timeoutMicros, 0);
    }

    /** A request that takes; the most frequent one is always the same object. */
    public static Request take(long permits, long timeoutMicros) {
        return permits == 1 && timeoutMicros == 0 ? ONE : new Request(Action.TAKE, permits, timeoutMicros);
    }

    /** A request that decides as {@link #take} would, and takes nothing. */
    public static Request peek(long permits, long timeoutMicros) {
        return new Request(Action.PEEK, permits, timeoutMicros);
    }

    public static Request refund(long permits) {
        return new Request(Action.REFUND, permits, 0);
    }

    /**
     * Cancels a grant as if it had not been made, as far as there are no later reservations. Permits that no longer
     * count, for example those of a window that has ended, are not returned.
     */
    public static Request cancel(long permits, Decision taken) {
        return new Request(
                Action.REFUND,
                permits,
                0,
                Objects.requireNonNull(taken, "taken").ticketMicros());
    }

    /**
     * Cancels some permits of a grant. Of a bucket they are the last ones, as if fewer had been taken; but where the caller had to
     * wait for its own permits, they are the first ones, because those that were used came due with the last one.
     *
     * @param of how many were granted
     * @param limit the one that granted them
     */
    public static Request cancelSome(long permits, long of, Decision taken, Limit<?> limit) {
        Objects.requireNonNull(limit, "limit");
        Request whole = cancel(permits, taken);
        boolean waited =
                taken.waitMicros() > 0 && limit instanceof TokenBucket bucket && bucket.whoWaits() == WhoWaits.CALLER;
        if (!waited || permits == of || whole.id() == 0) {
            return whole;
        }
        long used = (long) Math.ceil((of - permits) * ((TokenBucket) limit).intervalMicros());
        return new Request(Action.REFUND, permits, 0, Math.max(1, whole.id() - used));
    }

    public static Request charge(long permits) {
        return new Request(Action.CHARGE, permits, 0);
    }

    /**
     * Prefetches permits of a {@link TokenBucket}.
     *
     * @param permits most that the instance can use until its next call
     * @param timeMicros prefetch time, from 1 to {@link #MAX_PREFETCH_MICROS}
     * @param callMicros between two calls of the whole fleet at least, from 1 to {@link #MAX_CALL_MICROS}
     */
    public static Request prefetch(long permits, long timeMicros, long callMicros) {
        return new Request(Action.PREFETCH, permits, timeMicros, callMicros);
    }

    /** Acquires permits under a lease, until it is released or expires. */
    public static Request hold(long id, long permits) {
        return new Request(Action.TAKE, permits, 0, id);
    }

    /** As {@link #hold}, and keeps a place among those that wait if it is rejected, until it is granted or released. */
    public static Request holdOrWait(long id, long permits) {
        return new Request(Action.TAKE, permits, ConcurrencyLimit.TICKET_MICROS, id);
    }

    /** Renews the lease of an id. */
    public static Request renew(long id) {
        return new Request(Action.RENEW, 1, 0, id);
    }

    /** Releases all permits of an id. */
    public static Request release(long id) {
        return new Request(Action.REFUND, 1, 0, id);
    }

    public boolean isPeek() {
        return action == Action.PEEK;
    }

    /** Whether it is granted only if there are enough permits. */
    boolean mayBeRejected() {
        return action == Action.TAKE || action == Action.PEEK;
    }

    /** Whether its permits are taken if it is granted. */
    boolean takes() {
        return action == Action.TAKE || action == Action.CHARGE;
    }

    /** Rejects an id in a request to a limit without leases, except where it is no lease. */
    void checkNoId(Limit<?> limit) {
        if (action == Action.PREFETCH && !(limit instanceof TokenBucket)) {
            throw new IllegalArgumentException("only permits of a TokenBucket can be prefetched, was " + limit);
        }
        if (id != 0 && action != Action.REFUND && action != Action.PREFETCH) {
            throw new IllegalArgumentException(
                    "the permits of a " + limit.getClass().getSimpleName() + " are not held under an id, was " + this);
        }
    }

    /** A peek at what this request would be decided, without an id. */
    public Request asPeek() {
        return new Request(Action.PEEK, permits, timeoutMicros);
    }

    /** This request with another timeout. */
    public Request withTimeoutMicros(long newTimeoutMicros) {
        return new Request(action, permits, newTimeoutMicros, id);
    }
}
