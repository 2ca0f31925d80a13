package io.limiter.algorithm;

/** Who waits for permits that a token bucket does not hold yet. */
public enum WhoWaits {

    /**
     * The caller waits for its own permits. At timeout 0 only existing permits are granted, so in any time {@code t} at
     * most {@code maxPermits + rate * t}.
     */
    CALLER,

    /**
     * The next caller waits, as in Guava: a request is granted as soon as all earlier reservations are due, and
     * reserves its own permits, however many. So one request can take more than the capacity.
     */
    NEXT_CALLER
}
