package io.limiter.benchmark.load;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Requests that arrive at a rate of their own, however long the answers take: a Poisson process.
 *
 * @param perSecond on average
 * @param roundTripMicros of the network to Redis; 0 for the loopback interface alone
 */
public record Arrivals(KeySpace keys, int perSecond, int roundTripMicros) {

    /** How many threads serve the requests. */
    public static final int WORKERS = 64;

    /** Without a network. */
    public static final List<Arrivals> LOCAL = Stream.of(KeySpace.HOT, KeySpace.UNIFORM)
            .flatMap(keys -> Stream.of(1000, 5000, 10_000).map(perSecond -> new Arrivals(keys, perSecond, 0)))
            .toList();

    /**
     * Over a network, and to a Redis that is slow. Its 64 threads are never all busy, even if each of them waits for a reply of its
     * own.
     */
    public static final List<Arrivals> REMOTE = Stream.of(KeySpace.HOT, KeySpace.UNIFORM)
            .flatMap(keys -> Stream.of(
                    new Arrivals(keys, 5000, 500), new Arrivals(keys, 500, 30_000), new Arrivals(keys, 500, 90_000)))
            .toList();

    private static final long SEED = 20_261_129;

    /** Such as {@code arrivals-hot-5000-rtt-500}. */
    public String name() {
        return "arrivals-" + keys.label() + "-" + perSecond + (roundTripMicros > 0 ? "-rtt-" + roundTripMicros : "");
    }

    /** Such as {@code 5,000/s, one key}. */
    public String title() {
        return String.format(Locale.ROOT, "%,d/s, %s", perSecond, keys == KeySpace.HOT ? "one key" : "10,000 keys")
                + (roundTripMicros > 0 ? ", round trip " + roundTripMicros / 1000.0 + " ms" : "");
    }

    /** What subjects are opened for. */
    public Cell cell() {
        return new Cell(keys, Outcome.GRANTED, Cell.Waiting.THREADS, WORKERS, roundTripMicros);
    }

    /** When each request arrives, in nanoseconds from the start: the same for every subject. */
    public long[] dueNanos(double seconds) {
        Random random = new Random(SEED);
        double end = seconds * 1e9;
        long[] due = new long[(int) (2 * perSecond * seconds) + WORKERS];
        int count = 0;
        double at = 0;
        while (count < due.length) {
            at -= Math.log(1 - random.nextDouble()) * 1e9 / perSecond;
            if (at >= end) {
                break;
            }
            due[count++] = (long) at;
        }
        return Arrays.copyOf(due, count);
    }
}
