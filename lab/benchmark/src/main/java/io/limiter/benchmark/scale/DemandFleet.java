package io.limiter.benchmark.scale;

import io.limiter.Prefetch;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;

/** A fleet that prefetches permits of one key by demand, or reports, in virtual time. One seed gives one result. */
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

    private static final int BURST_PARTS = 5;
    private static final long SECOND_NANOS = 1_000_000_000;

    private final int size;
    private final Prefetch terms;
    private final double limitPerSecond;
    private final double capacity;
    private double[] demandBySecond;
    private final Spread spread;
    private final SplittableRandom random;
    private final Timeline timeline = new Timeline();
    private final Shard shard = new Shard(timeline);
    private final Bucket ideal;
    private final Totals totals;
    private final FleetMember[] instances;
    private final double[] upTo;
    private final long[] phase;

    /**
     * @param capacity the time in which the bucket is filled
     * @param demand requests, as a part of the limit
     */
    DemandFleet(
            int size,
            double limitPerSecond,
            Duration capacity,
            Prefetch terms,
            double demand,
            Spread spread,
            long seed) {
        this.terms = terms;
        this.size = size;
        this.limitPerSecond = limitPerSecond;
        this.demandBySecond = new double[] {demand};
        this.spread = spread;
        this.random = new SplittableRandom(seed);
        this.totals = new Totals(limitPerSecond);
        TokenBucket limit = TokenBucket.perSecond(limitPerSecond).withBurst(capacity);
        this.capacity = limit.capacity();
        this.ideal = new Bucket(limit);
        Bucket key = new Bucket(limit);
        this.instances = new FleetMember[size];
        this.upTo = new double[size];
        this.phase = new long[size];
        double sum = 0;
        for (int i = 0; i < size; i++) {
            instances[i] = new DemandInstance(timeline, shard, key, limitPerSecond, terms, totals);
            sum += 1.0 / (i + 1);
            upTo[i] = sum;
            phase[i] = random.nextLong(SECOND_NANOS);
        }
    }

    /** Kills and replaces instances, so many a second. */
    DemandFleet crashing(double perSecond) {
        arrive(new double[] {perSecond}, () -> instances[random.nextInt(size)].crash());
        return this;
    }

    /** Reports instead of prefetching. */
    DemandFleet reporting() {
        ReportingFleet reporting = new ReportingFleet(timeline, shard, totals, limitPerSecond, random.split());
        Arrays.setAll(instances, i -> reporting.member());
        return this;
    }

    /** Requests, as a part of the limit, in each second. The last is that of all further ones. */
    DemandFleet ramp(double... newDemandBySecond) {
        demandBySecond = newDemandBySecond;
        return this;
    }

    Result run(long warmUpNanos, long measuredNanos) {
        arrive(
                Arrays.stream(demandBySecond)
                        .map(demand -> demand * limitPerSecond)
                        .toArray(),
                this::request);
        timeline.run(warmUpNanos);
        shard.startMeasuring();
        totals.startMeasuring();
        timeline.run(warmUpNanos + measuredNanos);
        return new Result(this, measuredNanos);
    }

    /** A Poisson process, whose rate each second has. */
    private void arrive(double[] perSecond, Runnable request) {
        long now = timeline.nowNanos();
        int second = (int) Math.min(perSecond.length - 1, now / SECOND_NANOS);
        if (perSecond[second] == 0) {
            timeline.at((now / SECOND_NANOS + 1) * SECOND_NANOS, () -> arrive(perSecond, request));
            return;
        }
        long pause = (long) (-Math.log(1 - random.nextDouble()) / perSecond[second] * 1e9);
        timeline.at(now + pause, () -> {
            request.run();
            arrive(perSecond, request);
        });
    }

    private void request() {
        if (ideal.take(1, timeline.nowNanos() / 1_000).isGranted()) {
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

        /** What {@link #worstExcess} may be: the capacity, and the refill of a prefetch time. */
        double mostExcess() {
            return fleet.capacity + fleet.limitPerSecond * fleet.terms.time().toNanos() / 1e9;
        }

        double p99Millis() {
            return fleet.totals.latencyMillis(99);
        }
    }
}
