package io.limiter.internal.batch;

import java.util.concurrent.TimeUnit;

/**
 * How long the calls of a batch queue take, and how many may be in flight because of that. Safe for use by multiple threads; lost
 * updates do no harm.
 *
 * <p>Over a network, a round trip takes much longer than what the JVM and Redis do for a call, and a request that waits for the
 * reply to another call takes nearly two round trips. So further calls start beside it, one for each {@value #SPACING_MICROS} µs of
 * a round trip. On one machine, where the processors are the limit, requests share calls instead. They also do as soon as a call
 * takes half as long again as the shortest of the last minutes: then Redis is busy, and more calls would keep all its clients
 * waiting. With each call that is fast enough one more may start, so that many instances do not fill Redis's queue at once.
 */
public final class RoundTrips {

    /** Shorter round trips are on one machine, or nearly as short. */
    private static final long NETWORK_NANOS = TimeUnit.MICROSECONDS.toNanos(150);

    private static final int SPACING_MICROS = 125;

    private static final long SPACING_NANOS = TimeUnit.MICROSECONDS.toNanos(SPACING_MICROS);

    private static final int MOST_CALLS = 16;

    /** About how many short round trips make a long one forgotten. */
    private static final int REMEMBERED = 8;

    /** The shortest round trip is that of one to two such times, because Redis may be more distant by now. */
    static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(5);

    private volatile long longestNanos;
    private volatile long shortestBeforeNanos = Long.MAX_VALUE;
    private volatile long shortestNanos = Long.MAX_VALUE;
    private volatile long periodNanos;
    private volatile int callsInFlight;

    /**
     * @param nanos how long a call has taken
     * @param nowNanos when its reply came
     */
    public void add(long nanos, long nowNanos) {
        long longest = longestNanos;
        // Short ones count slowly, because after a long one others are likely.
        longestNanos = Math.max(nanos, longest - longest / REMEMBERED);
        if (shortestNanos == Long.MAX_VALUE) {
            periodNanos = nowNanos;
        }
        long sinceNanos = nowNanos - periodNanos;
        if (sinceNanos >= PERIOD_NANOS) {
            periodNanos = nowNanos - sinceNanos % PERIOD_NANOS;
            shortestBeforeNanos = sinceNanos < 2 * PERIOD_NANOS ? shortestNanos : Long.MAX_VALUE;
            shortestNanos = nanos;
        }
        shortestNanos = Math.min(nanos, shortestNanos);
        long shortest = Math.min(shortestBeforeNanos, shortestNanos);
        boolean distant = shortest >= NETWORK_NANOS;
        boolean busy = nanos > shortest + shortest / 2;
        long most = Math.min(MOST_CALLS, shortest / SPACING_NANOS);
        callsInFlight = distant && !busy ? (int) Math.min(callsInFlight + 1, most) : 0;
    }

    /** The longest recent round trip; 0 before the first. */
    public long longestNanos() {
        return longestNanos;
    }

    /** How many calls may be in flight because most of a round trip is spent in the network; 0 if it is not. */
    public int callsInFlight() {
        return callsInFlight;
    }
}
