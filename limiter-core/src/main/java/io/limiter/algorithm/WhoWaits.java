package io.limiter.algorithm;

/** Who waits for permits that a token bucket does not hold yet. */
public enum WhoWaits {

    /**
     * The caller who asked (own cost): it is granted its permits when they exist. At timeout 0 nobody gets a permit
     * that is not there, so over any time {@code t} at most {@code maxPermits + rate * t} are granted.
     */
    CALLER,

    /**
     * The caller after it (Guava's way): a request is granted as soon as everything reserved before it is paid for, and
     * reserves its own permits on top, however many. One request can so take more than the bucket holds.
     */
    NEXT_CALLER
}
