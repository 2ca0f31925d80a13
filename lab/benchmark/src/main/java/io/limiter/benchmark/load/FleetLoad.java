package io.limiter.benchmark.load;

import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Requests that arrive at a fleet at a rate of their own (a Poisson process), each at an instance that is drawn at random.
 *
 * @param capacity of the bucket of each key, which is also its permits per second
 * @param perSecond requests of all keys at all instances
 */
public record FleetLoad(KeySpace keys, int instances, int capacity, int perSecond) {

    /** How many requests a second arrive for 10,000 keys: far fewer than any of the limits grants. */
    private static final int FOR_MANY_KEYS = 5000;

    private static final long SEED = 20_261_129;

    /**
     * Of a fleet of this size: for one key, half and twice the requests that its limit grants, so that there is a load within it and one
     * above it.
     */
    public static List<FleetLoad> of(int instances) {
        return Stream.concat(
                        Stream.of(100, 1000, 10_000)
                                .flatMap(capacity -> Stream.of(capacity / 2, 2 * capacity)
                                        .map(perSecond -> new FleetLoad(KeySpace.HOT, instances, capacity, perSecond))),
                        Stream.of(100, 1000, 10_000)
                                .map(capacity -> new FleetLoad(KeySpace.UNIFORM, instances, capacity, FOR_MANY_KEYS)))
                .toList();
    }

    /** Such as {@code limit 1,000/s, 500/s for one key, 10 instances}. */
    public String title() {
        return String.format(
                Locale.ROOT,
                "limit %,d/s, %,d/s for %s, %d instances",
                capacity,
                perSecond,
                keys == KeySpace.HOT ? "one key" : "10,000 keys",
                instances);
    }

    /** How many requests for a key arrive at one instance in a second, on average. */
    public double perKeyAndInstance() {
        return (double) perSecond / instances / keys.ids();
    }

    /** When each request arrives, in nanoseconds from the start: the same with and without prefetch. */
    public long[] dueNanos(double seconds) {
        return new Arrivals(keys, perSecond, 0).dueNanos(seconds);
    }

    /** The instance that each of so many requests arrives at. */
    public int[] targets(int requests) {
        return new Random(SEED).ints(requests, 0, instances).toArray();
    }
}
