package io.limiter;

import java.util.List;

/** Statistics of a factory's limiters. Safe for use by many threads. */
public interface LimiterStatistics {

    /**
     * The totals of each prefix and name that limiters were built for, sorted by prefix and name. At most 10,000; further
     * names are counted together as {@link LimiterTotals#OTHER}.
     */
    List<LimiterTotals> totals();

    /** The number of valid entries of the rejection cache. Scans the whole cache. */
    int cachedRejections();

    /** The number of leases of concurrency limiters that this JVM holds. */
    int liveLeases();

    /** The number of requests queued for the backend. */
    int queuedRequests();
}
