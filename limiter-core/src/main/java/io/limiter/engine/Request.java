package io.limiter.engine;

/**
 * One request for permits.
 *
 * @param permits at least 1
 * @param timeoutMicros how long the caller is ready to wait, in microseconds, at least 0
 * @param peek whether to answer without taking anything
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
}
