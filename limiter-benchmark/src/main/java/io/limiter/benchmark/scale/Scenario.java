package io.limiter.benchmark.scale;

/**
 * What a simulated fleet does for a while: by default a thousand instances that do nothing, on a Cluster of 32 shards. The
 * simulation reads the fields.
 */
final class Scenario {

    static final long WIDE_KEYS = 10_000_000;

    final String name;
    int instances = 1_000;
    int shards = 32;
    double hotPerSecond;
    double limitPerSecond = 1_000;
    double widePerSecond;
    boolean zipf;
    boolean groupCommit = true;
    boolean rejectionCache = true;
    int prefetch;
    int hashTags = 1;
    boolean breakerPerShard = true;
    long lossNanos;
    double crashesPerSecond;

    Scenario(String name) {
        this.name = name;
    }

    Scenario instances(int number) {
        instances = number;
        return this;
    }

    Scenario shards(int number) {
        shards = number;
        return this;
    }

    /** Requests for one key per second, of all instances, and its limit of so many permits per second. */
    Scenario hot(double requestsPerSecond, double permitsPerSecond) {
        hotPerSecond = requestsPerSecond;
        limitPerSecond = permitsPerSecond;
        return this;
    }

    /** Requests per second for {@value #WIDE_KEYS} other keys, drawn uniformly or by Zipf's law. */
    Scenario wide(double requestsPerSecond, boolean byZipf) {
        widePerSecond = requestsPerSecond;
        zipf = byZipf;
        return this;
    }

    Scenario withoutGroupCommit() {
        groupCommit = false;
        return this;
    }

    Scenario withoutRejectionCache() {
        rejectionCache = false;
        return this;
    }

    /** Most permits that an instance prefetches. */
    Scenario prefetch(int permits) {
        prefetch = permits;
        return this;
    }

    /** Splits the hot key into so many, each with its share of the limit. */
    Scenario hashTags(int number) {
        hashTags = number;
        return this;
    }

    Scenario oneBreakerForAllShards() {
        breakerPerShard = false;
        return this;
    }

    /** The shard of the hot key is lost for so long, in the middle of the run. */
    Scenario loses(long nanos) {
        lossNanos = nanos;
        return this;
    }

    /** Instances are killed and replaced so many times a second. */
    Scenario crashes(double perSecond) {
        crashesPerSecond = perSecond;
        return this;
    }
}
