package io.limiter.benchmark.scale;

import java.util.function.Consumer;

/**
 * What a simulated fleet does for a while: by default a thousand instances that do nothing, on a Cluster of 32 shards. The
 * simulation reads the fields.
 */
final class Scenario {

    static final long WIDE_KEYS = 10_000_000;

    final String name;
    int instances = 1_000;
    int shards = 32;

    /** Requests for one key per second, of all instances. */
    double hotPerSecond;

    /** Of that key, in permits per second. */
    double limitPerSecond = 1_000;

    /** Requests per second for {@value #WIDE_KEYS} other keys. */
    double widePerSecond;

    /** Over how many hash tags the other keys are spread; 0 if each has its own. */
    int wideTags;

    /** Whether the other keys are drawn by Zipf's law. */
    boolean zipf;

    boolean groupCommit = true;

    /** Whether further calls start because most of a round trip is spent in the network. */
    boolean networkCalls = true;

    boolean rejectionCache = true;

    /** Splits the hot key into so many, each with its share of the limit. */
    int hashTags = 1;

    boolean breakerPerShard = true;

    /** The shard of the hot key is lost for so long, in the middle of the run. */
    long lossNanos;

    /**
     * @param settings sets fields to other values
     */
    Scenario(String name, Consumer<Scenario> settings) {
        this.name = name;
        settings.accept(this);
    }
}
