package io.limiter.algorithm;

/**
 * One request to a limit.
 *
 * @param action whether to take permits, only to look, to give some back, or to hold them for longer
 * @param permits at least 1
 * @param timeoutMicros how long the caller is ready to wait, in microseconds, at least 0
 * @param id what tells apart permits that were taken, from 1 to {@link #MAX_ID}; 0 for none. A {@link ConcurrencyLimit}
 *     knows its holders by an id that the caller chooses, other limits what they granted by the
 *     {@linkplain Decision#ticketMicros() ticket} of the decision
 */
public record Request(Action action, int permits, long timeoutMicros, long id) {

    /** The largest id: beyond it a double, which is what Lua has, no longer tells all whole numbers apart. */
    public static final long MAX_ID = (1L << 53) - 1;

    /** What is to be done with the permits. */
    public enum Action {

        /** Take all of them, or none. */
        TAKE,

        /** Answer without taking any: what would be granted, and what remains as long as it is not. */
        PEEK,

        /** Return permits that were taken and not used. Always granted; never more than the limit can hold. */
        REFUND,

        /** Take permits that were used already, whether they are there or not: those who come later pay. Always granted. */
        CHARGE,

        /** Hold the permits of an id for another lease. Granted if they are still held; otherwise nothing changes. */
        RENEW
    }

    public Request {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be at least 1, was " + permits);
        }
        if (timeoutMicros < 0) {
            throw new IllegalArgumentException("timeoutMicros must be at least 0, was " + timeoutMicros);
        }
        if (id < 0 || id > MAX_ID || action == Action.RENEW && id == 0) {
            throw new IllegalArgumentException("id must be from 1 to " + MAX_ID + ", or 0 for none, was " + id);
        }
    }

    /** Of nobody in particular. */
    public Request(Action action, int permits, long timeoutMicros) {
        this(action, permits, timeoutMicros, 0);
    }

    /** Takes or peeks. */
    public Request(int permits, long timeoutMicros, boolean peek) {
        this(peek ? Action.PEEK : Action.TAKE, permits, timeoutMicros);
    }

    public static Request refund(int permits) {
        return new Request(Action.REFUND, permits, 0);
    }

    /**
     * Returns permits that were taken and not used, as if they had not been taken, as far as others have not reserved since.
     * What does not count any more, such as that of a window that has ended, is not returned.
     */
    public static Request cancel(int permits, Decision taken) {
        return new Request(Action.REFUND, permits, 0, taken.ticketMicros());
    }

    public static Request charge(int permits) {
        return new Request(Action.CHARGE, permits, 0);
    }

    /** Takes permits that are held until they are released, or their lease is over. */
    public static Request hold(long id, int permits) {
        return new Request(Action.TAKE, permits, 0, id);
    }

    /** Holds for another lease what is held already. */
    public static Request renew(long id) {
        return new Request(Action.RENEW, 1, 0, id);
    }

    /** Returns all that is held by this id. */
    public static Request release(long id) {
        return new Request(Action.REFUND, 1, 0, id);
    }

    public boolean peek() {
        return action == Action.PEEK;
    }

    /** The same permits and timeout, for another action. */
    public Request as(Action otherAction) {
        return new Request(otherAction, permits, timeoutMicros);
    }

    /** The same request from a caller who has already waited, for something else. */
    public Request waited(long micros) {
        return new Request(action, permits, Math.max(0, timeoutMicros - micros), id);
    }
}
