package io.limiter.faults.account;

/**
 * One call, as its JVM saw it. The decision was made at some moment from the call to the return.
 *
 * @param callMicros when the caller called, by the clock of the machine: microseconds since the epoch, rounded down
 * @param returnMicros when the call returned, rounded up
 * @param limiter which limiter of the load
 * @param key which of its keys
 */
public record Entry(
        long callMicros, long returnMicros, Limiters limiter, int key, int permits, Answer answer, boolean granted)
        implements Excess.Grant {

    public long tookMicros() {
        return returnMicros - callMicros;
    }
}
