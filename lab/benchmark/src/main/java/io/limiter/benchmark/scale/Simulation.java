package io.limiter.benchmark.scale;

import io.limiter.algorithm.TokenBucket;
import io.limiter.benchmark.scale.Totals.By;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Runs a scenario in virtual time. One seed gives one result. */
final class Simulation {

    private static final int SLOTS = 16_384;

    private final Scenario scenario;
    private final SplittableRandom random;
    private final Timeline timeline = new Timeline();
    private final Shard[] shards;
    private final Totals hot;
    private final Totals wide = new Totals(0);
    private final HotKey[][] hotKeys;
    private final Breaker[][] breakers;
    private final Bucket ideal;
    private final Map<Long, WideLane> lanes = new HashMap<>();

    Simulation(Scenario scenario, long seed) {
        this.scenario = scenario;
        this.random = new SplittableRandom(seed);
        this.shards = new Shard[scenario.shards];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = new Shard(timeline);
        }
        this.hot = new Totals(scenario.limitPerSecond);
        this.ideal = new Bucket(bucket(scenario.limitPerSecond));
        Bucket[] shared = new Bucket[scenario.hashTags];
        TokenBucket part = bucket(scenario.limitPerSecond / shared.length);
        for (int i = 0; i < shared.length; i++) {
            shared[i] = new Bucket(part);
        }
        this.breakers = new Breaker[scenario.instances][];
        this.hotKeys = new HotKey[scenario.instances][];
        for (int i = 0; i < scenario.instances; i++) {
            breakers[i] = breakers();
            hotKeys[i] = new HotKey[shared.length];
            for (int tag = 0; tag < shared.length; tag++) {
                int shard = tag % shards.length;
                hotKeys[i][tag] =
                        new HotKey(timeline, shards[shard], shared[tag], part, breakers[i][shard], hot, scenario);
            }
        }
    }

    /** A tenth of a second's worth is the capacity. */
    private static TokenBucket bucket(double permitsPerSecond) {
        return TokenBucket.perSecond(permitsPerSecond).withBurst(Duration.ofMillis(100));
    }

    private Breaker[] breakers() {
        Breaker[] all = new Breaker[shards.length];
        Breaker common = new Breaker(timeline, shards[0]);
        for (int i = 0; i < all.length; i++) {
            all[i] = scenario.breakerPerShard ? new Breaker(timeline, shards[i]) : common;
        }
        return all;
    }

    /** Runs until it is warm, and then for the time that is measured. */
    Result run(long warmUpNanos, long measuredNanos) {
        if (scenario.hotPerSecond > 0) {
            arrive(scenario.hotPerSecond, this::hotRequest);
        }
        if (scenario.widePerSecond > 0) {
            arrive(scenario.widePerSecond, this::wideRequest);
        }
        timeline.run(warmUpNanos);
        for (Shard shard : shards) {
            shard.startMeasuring();
        }
        hot.startMeasuring();
        wide.startMeasuring();
        if (scenario.lossNanos > 0) {
            long from = warmUpNanos + (measuredNanos - scenario.lossNanos) / 2;
            timeline.at(from, shards[0]::lose);
            timeline.at(from + scenario.lossNanos, shards[0]::recover);
        }
        timeline.run(warmUpNanos + measuredNanos);
        return new Result(scenario, measuredNanos, shards, hot, wide);
    }

    /** A Poisson process. */
    private void arrive(double perSecond, Runnable request) {
        long pause = (long) (-Math.log(1 - random.nextDouble()) / perSecond * 1e9);
        timeline.at(timeline.nowNanos() + pause, () -> {
            request.run();
            arrive(perSecond, request);
        });
    }

    private void hotRequest() {
        if (ideal.take(1, timeline.nowNanos() / 1_000).isGranted()) {
            hot.grantedByOne();
        }
        hotKeys[random.nextInt(hotKeys.length)][random.nextInt(scenario.hashTags)].request();
    }

    private void wideRequest() {
        int instance = random.nextInt(scenario.instances);
        int slot = tagged(slot(scenario.zipf ? byZipf() : random.nextLong(Scenario.WIDE_KEYS)));
        int shard = (int) ((long) slot * shards.length / SLOTS);
        if (breakers[instance][shard].isOpen()) {
            wide.decided(By.LOCAL, 0);
            return;
        }
        // A single Redis has one lane for all slots, a Cluster one for each.
        long lane = (long) instance * SLOTS + (shards.length == 1 ? 0 : slot);
        lanes.computeIfAbsent(lane, unused -> new WideLane(timeline, shards[shard], breakers[instance][shard], wide))
                .request();
        if (lanes.size() > 2_000_000) {
            lanes.values().removeIf(WideLane::isIdle);
        }
    }

    /** Zipf's law with exponent 1, by inversion of its continuous form, in which the first key has 4.3 %. */
    private long byZipf() {
        return (long) Math.pow(Scenario.WIDE_KEYS, random.nextDouble()) - 1;
    }

    /** Any function that spreads keys evenly does for Redis's CRC16. */
    private static int slot(long key) {
        long mixed = (key + 1) * 0x9E3779B97F4A7C15L;
        return (int) ((mixed ^ mixed >>> 29) >>> 11 & SLOTS - 1);
    }

    /** The slot of the hash tag of a key that is in this slot without one. */
    private int tagged(int slot) {
        return scenario.wideTags == 0 ? slot : slot * scenario.wideTags / SLOTS * SLOTS / scenario.wideTags;
    }

    /** What a scenario came to. */
    record Result(Scenario scenario, long measuredNanos, Shard[] shards, Totals hot, Totals wide) {

        double callsPerSecond() {
            return Arrays.stream(shards).mapToLong(Shard::calls).sum() / seconds();
        }

        double requestsPerCall() {
            return Arrays.stream(shards).mapToLong(Shard::requests).sum() / seconds() / callsPerSecond();
        }

        /** The share of its time for which the busiest shard works. */
        double busiest() {
            return Arrays.stream(shards).mapToLong(Shard::busyNanos).max().orElse(0) / (double) measuredNanos;
        }

        double averageBusy() {
            return Arrays.stream(shards).mapToLong(Shard::busyNanos).average().orElse(0) / measuredNanos;
        }

        private double seconds() {
            return measuredNanos / 1e9;
        }
    }
}
