package io.limiter.benchmark.scale;

/**
 * What a call costs the core of a Redis, and how long the network takes. The defaults are Redis's processor time as the
 * benchmark measures it: of {@code limiter-plain} for a call, of {@code limiter} with 1,024 in flight on a hot key for each
 * further request, and on many keys for each further key.
 *
 * @param callNanos a call with one request for one key, reading it from the socket and writing the reply included
 * @param requestNanos each further request for the same key
 * @param keyNanos each further key
 * @param oneWayNanos from an instance to Redis, and back
 */
record CallCost(long callNanos, long requestNanos, long keyNanos, long oneWayNanos) {

    static final CallCost MEASURED = new CallCost(6_300, 40, 1_900, 150_000);

    long nanos(int requests, int keys) {
        return callNanos + (long) (keys - 1) * keyNanos + (long) (requests - keys) * requestNanos;
    }
}
