package io.limiter.algorithm;

/**
 * One request to a limit.
 *
 * @param action whether to take permits, only to look, or to give some back
 * @param permits at least 1
 * @param timeoutMicros how long the caller is ready to wait, in microseconds, at least 0
 */
public record Request(Action action, int permits, long timeoutMicros) {

    /** What is to be done with the permits. */
    public enum Action {

        /** Take all of them, or none. */
        TAKE,

        /** Answer without taking any: what would be granted, and what remains as long as it is not. */
        PEEK,

        /** Return permits that were taken and not used. Always granted; never more than the limit can hold. */
        GIVE_BACK,

        /** Take permits that were used already, whether they are there or not: those who come later pay. Always granted. */
        CHARGE
    }

    public Request {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be at least 1, was " + permits);
        }
        if (timeoutMicros < 0) {
            throw new IllegalArgumentException("timeoutMicros must be at least 0, was " + timeoutMicros);
        }
    }

    /** Takes or peeks. */
    public Request(int permits, long timeoutMicros, boolean peek) {
        this(peek ? Action.PEEK : Action.TAKE, permits, timeoutMicros);
    }

    public static Request giveBack(int permits) {
        return new Request(Action.GIVE_BACK, permits, 0);
    }

    public static Request charge(int permits) {
        return new Request(Action.CHARGE, permits, 0);
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
        return new Request(action, permits, Math.max(0, timeoutMicros - micros));
    }
}
