package io.limiter.benchmark.scale;

/** What a simulated fleet does for a while: by default a thousand instances that do nothing, on a Cluster of 32 shards. */
final class Scenario {

    static final long WIDE_KEYS = 10_000_000;

    private final String name;
    private int instances = 1_000;
    private int shards = 32;
    private double hotPerSecond;
    private double limitPerSecond = 1_000;
    private double widePerSecond;
    private boolean zipf;
    private boolean groupCommit = true;
    private boolean rejectionCache = true;
    private int prefetch;
    private int hashTags = 1;
    private boolean breakerPerShard = true;
    private long lossNanos;
    private double crashesPerSecond;

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

    String name() {
        return name;
    }

    int instances() {
        return instances;
    }

    int shards() {
        return shards;
    }

    double hotPerSecond() {
        return hotPerSecond;
    }

    double limitPerSecond() {
        return limitPerSecond;
    }

    double widePerSecond() {
        return widePerSecond;
    }

    boolean zipf() {
        return zipf;
    }

    boolean groupCommit() {
        return groupCommit;
    }

    boolean rejectionCache() {
        return rejectionCache;
    }

    int prefetch() {
        return prefetch;
    }

    int hashTags() {
        return hashTags;
    }

    boolean breakerPerShard() {
        return breakerPerShard;
    }

    long lossNanos() {
        return lossNanos;
    }

    double crashesPerSecond() {
        return crashesPerSecond;
    }
}
