package io.limiter;

import java.util.List;

/** Statistics of a factory's limiters. Safe for use by many threads. */
public interface LimiterStatistics {

    /** The statistics of a factory that keeps none. */
    LimiterStatistics NONE = new LimiterStatistics() {};

    /**
     * The totals of each prefix and name for which limiters were built, sorted by prefix and name. At most 10,000, and all further
     * names are counted together as {@link LimiterTotals#OTHER}.
     */
    default List<LimiterTotals> totals() {
        return List.of();
    }

    /** The number of valid entries of the rejection cache. Scans the whole cache. */
    default int cachedRejections() {
        return 0;
    }

    /** The number of leases of concurrency limiters that this JVM holds. */
    default int liveLeases() {
        return 0;
    }

    /** The number of requests queued for the backend. */
    default int queuedRequests() {
        return 0;
    }
}
