package io.limiter.scale;

import io.limiter.algorithm.TokenBucket;

/**
 * One key in Redis of which instances prefetch by demand: a token bucket, and how many permits the fleet was asked for.
 *
 * <p>Time is divided into periods. An instance that calls reports the requests since its last call, which add to the
 * demand of the period. It is given its share, by demand, of what is refilled within a period, and more or less of it as
 * the bucket is more or less than half full:
 *
 * <pre>
 *   weight = max(requests, average requests of a call / 2)      a newcomer does not know its demand yet
 *   fleet  = max(weights of the last period, weights of this one)
 *   inflow = rate * period
 *   fill   = 2 * available / min(capacity, inflow)
 *   share  = weight / fleet * inflow * fill²
 *   given  = min(available, weight + spare, max(1, share))      in whole permits
 * </pre>
 *
 * Each call reserves the next free time for a call; the caller must not call again before it. So a larger fleet calls as
 * often as a smaller one, evenly spread, and each instance uses what it was given for as long as it has to wait.
 */
final class DemandShare {

    /** So many calls of an instance in a prefetch time, if the fleet is small. */
    private static final int MOST_CALLS = 8;

    private final Bucket bucket;
    private final double permitsPerMicro;
    private final double capacity;
    private final long prefetchMicros;
    private final double microsPerCall;
    private long sinceMicros;
    private long periodMicros;
    private long demand;
    private long lastDemand;
    private long calls;
    private long lastCalls;
    private double nextCallMicros;

    /**
     * @param prefetchMicros how long prefetched permits are used at least
     * @param callsPerSecond most calls for the key
     */
    DemandShare(TokenBucket limit, long prefetchMicros, double callsPerSecond) {
        this.bucket = new Bucket(limit);
        this.permitsPerMicro = 1 / limit.intervalMicros();
        this.capacity = limit.capacity();
        this.prefetchMicros = prefetchMicros;
        this.microsPerCall = 1e6 / callsPerSecond;
        this.periodMicros = prefetchMicros;
    }

    /**
     * What an instance may do next.
     *
     * @param permits to use, since the moment of the call at most for {@code useMicros}
     * @param pauseMicros how long after its call the instance must not call again
     */
    record Given(int permits, long useMicros, long pauseMicros) {}

    /**
     * @param requests permits that the instance was asked for since its last call
     * @param unused permits of its last call, which it returns
     */
    Given ask(int requests, int unused, long nowMicros) {
        turnPeriod(nowMicros);
        calls++;
        long mean = lastCalls == 0 ? 0 : lastDemand / lastCalls;
        long weight = requests == 0 ? 0 : Math.max(requests, mean / 2);
        demand += weight;
        nextCallMicros = Math.max(nextCallMicros + microsPerCall, nowMicros + prefetchMicros / MOST_CALLS);
        long pause = (long) nextCallMicros - nowMicros;
        long use = Math.max(prefetchMicros, pause);
        if (unused > 0) {
            bucket.refund(unused, nowMicros);
        }
        int given = 0;
        if (requests > 0) {
            long available = bucket.available(nowMicros);
            double inflow = permitsPerMicro * periodMicros;
            double fill = 2 * available / Math.min(capacity, inflow);
            // A large instance gets little beyond its demand: what it returns is lost if the bucket is full by then.
            long spare = Math.max((long) (4 * Math.sqrt(weight)), Math.min(weight, mean));
            double share = (double) weight / Math.max(lastDemand, demand) * inflow * fill * fill;
            given = (int) Math.min(available, Math.min(weight + spare, Math.max(1, (long) share)));
        }
        if (given > 0) {
            bucket.take(given, nowMicros);
        }
        return new Given(given, use, pause);
    }

    private void turnPeriod(long nowMicros) {
        long passed = (nowMicros - sinceMicros) / periodMicros;
        if (passed > 0) {
            // Whoever did not ask for two periods is forgotten.
            lastDemand = passed == 1 ? demand : 0;
            lastCalls = passed == 1 ? calls : 0;
            demand = 0;
            calls = 0;
            sinceMicros += passed * periodMicros;
            periodMicros = Math.max(prefetchMicros, (long) nextCallMicros - nowMicros);
        }
    }
}
