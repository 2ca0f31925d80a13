package io.limiter.algorithm;

/**
 * One request for permits.
 *
 * @param permits at least 1
 * @param timeoutMicros how long the caller is ready to wait, in microseconds, at least 0
 * @param peek whether to answer without taking anything: the decision then says what would be granted, and what remains
 *     as long as it is not
 */
public record Request(int permits, long timeoutMicros, boolean peek) {

    public Request {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be at least 1, was " + permits);
        }
        if (timeoutMicros < 0) {
            throw new IllegalArgumentException("timeoutMicros must be at least 0, was " + timeoutMicros);
        }
    }

    /** The same request from a caller who has already waited, for something else. */
    public Request waited(long micros) {
        return new Request(permits, Math.max(0, timeoutMicros - micros), peek);
    }
}
