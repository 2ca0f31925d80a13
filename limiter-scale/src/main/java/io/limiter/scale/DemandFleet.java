package io.limiter.scale;

import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;

/** A fleet that prefetches permits of one key by demand, in virtual time. One seed gives one result. */
final class DemandFleet {

    /** How requests are spread over the instances. */
    enum Spread {
        /** Each request comes to any instance. */
        EQUAL,
        /** By Zipf's law: the instance {@code i} has a part of {@code 1 / i}. */
        ZIPF,
        /** Each instance has a fifth of every second to itself, at any phase, and has no requests otherwise. */
        BURSTY
    }

    static final long PREFETCH_MICROS = 100_000;
    static final double CALLS_PER_SECOND = 5_000;
    static final long CALL_MICROS = 200;

    private static final int BURST_PARTS = 5;
    private static final long SECOND_NANOS = 1_000_000_000;

    private final int size;
    private final double limitPerSecond;
    private final double capacity;
    private final double requestsPerSecond;
    private final Spread spread;
    private final SplittableRandom random;
    private final Timeline timeline = new Timeline();
    private final Shard shard = new Shard(timeline);
    private final Bucket ideal;
    private final Totals totals;
    private final DemandInstance[] instances;
    private final double[] upTo;
    private final long[] phase;

    /**
     * @param capacity the time in which the bucket is filled
     * @param demand requests, as a part of the limit
     */
    DemandFleet(int size, double limitPerSecond, Duration capacity, double demand, Spread spread, long seed) {
        this.size = size;
        this.limitPerSecond = limitPerSecond;
        this.requestsPerSecond = limitPerSecond * demand;
        this.spread = spread;
        this.random = new SplittableRandom(seed);
        this.totals = new Totals(limitPerSecond);
        TokenBucket limit = TokenBucket.perSecond(limitPerSecond).withBurst(capacity);
        this.capacity = limit.capacity();
        this.ideal = new Bucket(limit);
        Bucket key = new Bucket(limit);
        this.instances = new DemandInstance[size];
        this.upTo = new double[size];
        this.phase = new long[size];
        double sum = 0;
        for (int i = 0; i < size; i++) {
            instances[i] = new DemandInstance(timeline, shard, key, limitPerSecond, totals);
            sum += 1.0 / (i + 1);
            upTo[i] = sum;
            phase[i] = random.nextLong(SECOND_NANOS);
        }
    }

    /** Kills and replaces instances, so many a second. */
    DemandFleet crashing(double perSecond) {
        arrive(perSecond, () -> instances[random.nextInt(size)].crash());
        return this;
    }

    Result run(long warmUpNanos, long measuredNanos) {
        arrive(requestsPerSecond, this::request);
        timeline.run(warmUpNanos);
        shard.startMeasuring();
        totals.startMeasuring();
        timeline.run(warmUpNanos + measuredNanos);
        return new Result(this, measuredNanos);
    }

    /** A Poisson process. */
    private void arrive(double perSecond, Runnable request) {
        long pause = (long) (-Math.log(1 - random.nextDouble()) / perSecond * 1e9);
        timeline.at(timeline.nowNanos() + pause, () -> {
            request.run();
            arrive(perSecond, request);
        });
    }

    private void request() {
        if (ideal.take(1, timeline.nowNanos() / 1_000).granted()) {
            totals.grantedByOne();
        }
        instances[instance()].request();
    }

    private int instance() {
        if (spread == Spread.ZIPF) {
            int found = Arrays.binarySearch(upTo, random.nextDouble() * upTo[size - 1]);
            return Math.min(size - 1, found < 0 ? -found - 1 : found);
        }
        int instance = random.nextInt(size);
        if (spread == Spread.BURSTY) {
            for (int i = 0; i < size && !isBusy(instance); i++) {
                instance = random.nextInt(size);
            }
        }
        return instance;
    }

    private boolean isBusy(int instance) {
        return (timeline.nowNanos() + phase[instance]) % SECOND_NANOS < SECOND_NANOS / BURST_PARTS;
    }

    /** What a run came to. */
    record Result(DemandFleet fleet, long measuredNanos) {

        double callsPerSecond() {
            return fleet.shard.calls() * 1e9 / measuredNanos;
        }

        double grantedOfPossible() {
            return fleet.totals.grantedOfPossible();
        }

        /** Most permits used in any time beyond what is refilled in it. */
        double worstExcess() {
            return fleet.totals.worstExcess();
        }

        /** What {@link #worstExcess} may be: the capacity, and the refill of the time for which permits are used. */
        double mostExcess() {
            double useSeconds = Math.max(PREFETCH_MICROS / 1e6, 2.5 * fleet.size / CALLS_PER_SECOND);
            return fleet.capacity + fleet.limitPerSecond * useSeconds;
        }
    }
}
