package io.limiter.algorithm;

/**
 * Who waits for permits that a token bucket does not hold yet. A {@linkplain WarmUp warm-up} works only with
 * {@link #NEXT_CALLER}, because its stored permits cost time too, and even an idle limiter would reject its first caller.
 *
 * <p>At 1 permit per minute with a burst of one minute and timeout 0 (G granted, R rejected):
 *
 * <pre>
 *   t (s)                      0  0  30  60  61
 *   CALLER                     G  R  R   G   R
 *   NEXT_CALLER, started full  G  G  R   G   R
 * </pre>
 */
public enum WhoWaits {

    /**
     * The caller waits for its own permits. With a timeout of 0, only existing permits are granted, so at most {@code capacity + rate * t} in any time
     * {@code t}.
     */
    CALLER,

    /**
     * The next caller waits, as in Guava: a request is granted as soon as all earlier reservations are due, and
     * reserves its own permits, however many. So one request can take more than the capacity.
     */
    NEXT_CALLER
}
