package io.limiter.benchmark.scale;

import java.util.Arrays;

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
