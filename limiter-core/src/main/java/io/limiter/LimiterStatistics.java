package io.limiter;

import java.util.List;

/** What a factory's limiters have decided, and what it holds. Safe for use by many threads. */
public interface LimiterStatistics {

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
