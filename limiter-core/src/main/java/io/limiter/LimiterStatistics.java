package io.limiter;

import java.util.List;

/** What a factory's limiters have decided, and what it holds. Safe for use by many threads. */
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
     * Of each prefix and name that limiters were built for, in the order of prefixes and names. At most 10,000; all
     * further names are counted together as {@link LimiterTotals#OTHER}.
     */
    List<LimiterTotals> totals();

    /** How many rejections are known that still hold. Looks at each place of the deny cache. */
    int cachedRejections();

    /** How many leases of concurrency limiters are held by this JVM. */
    int liveLeases();

    /** How many requests wait to be sent to the backend. */
    int queuedRequests();
}
