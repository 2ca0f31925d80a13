package io.limiter;

import java.util.List;

/** Statistics of a factory's limiters. Safe for use by many threads. */
public interface LimiterStatistics {

    /** Of a factory that keeps no statistics. */
    LimiterStatistics NONE = new LimiterStatistics() {

        @Override
        public List<LimiterTotals> totals() {
            return List.of();
        }

        @Override
        public int cachedRejections() {
            return 0;
        }

        @Override
        public int liveLeases() {
            return 0;
        }

        @Override
        public int queuedRequests() {
            return 0;
        }
    };

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
