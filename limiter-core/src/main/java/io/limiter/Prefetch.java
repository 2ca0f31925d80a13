package io.limiter;

import io.limiter.internal.arithmetic.Ranges;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How token buckets prefetch permits. Each instance takes as many permits of a key as were recently requested from it, or a share according to
 * its demand if there are not enough for all. It then grants and rejects without a call to Redis until it may take more. Immutable.
 *
 * <p>In any time {@code t}, the fleet uses at most {@code capacity + rate * (t + time)} permits, however many instances it has. Limiters of one
 * name with and without prefetch share their permits. These are decided in Redis one by one:
 *
 * <ul>
 *   <li>requests that wait, requests for more permits than an instance is given, and limit sets
 *   <li>buckets that are refilled by fewer than ten permits in {@code time} and hold fewer than 1,000
 *   <li>buckets that are full within {@code time}
 * </ul>
 */
public final class Prefetch {

    /** The calls per second of the whole fleet that prefetch permits of one key, unless set. */
    public static final int DEFAULT_CALLS_PER_SECOND = 5_000;

    public static final Duration SHORTEST_TIME = Duration.ofMillis(10);
    public static final Duration LONGEST_TIME = Duration.ofSeconds(10);
    public static final int MOST_CALLS_PER_SECOND = 1_000_000;

    private final Duration time;
    private final int callsPerSecond;

    private Prefetch(Duration time, int callsPerSecond) {
        Ranges.duration("prefetch time", time, SHORTEST_TIME, LONGEST_TIME);
        Ranges.range("prefetch calls (per second)", callsPerSecond, 1, MOST_CALLS_PER_SECOND);
        this.time = time;
        this.callsPerSecond = callsPerSecond;
    }

    /**
     * With {@value #DEFAULT_CALLS_PER_SECOND} calls per second.
     *
     * @param time the prefetch time, which is how much later a permit may be used than Redis counts it as used, from 10 ms to 10 s
     * @throws IllegalArgumentException if it is out of range
     */
    public static Prefetch of(Duration time) {
        return new Prefetch(time, DEFAULT_CALLS_PER_SECOND);
    }

    /**
     * With a bound on the calls that prefetch permits of one key.
     *
     * @param newCallsPerSecond of the whole fleet, from 1 to 1,000,000
     * @throws IllegalArgumentException if it is out of range
     */
    public Prefetch withCallsPerSecond(int newCallsPerSecond) {
        return new Prefetch(time, newCallsPerSecond);
    }

    public Duration time() {
        return time;
    }

    public int callsPerSecond() {
        return callsPerSecond;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Prefetch prefetch
                && callsPerSecond == prefetch.callsPerSecond
                && time.equals(prefetch.time);
    }

    @Override
    public int hashCode() {
        return Objects.hash(time, callsPerSecond);
    }

    @Override
    public String toString() {
        return "Prefetch[time=" + time + ", callsPerSecond=" + callsPerSecond + "]";
    }
}
