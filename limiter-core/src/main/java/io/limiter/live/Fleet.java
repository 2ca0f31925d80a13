package io.limiter.live;

import java.util.List;

/** The instances that share live limits. Safe for use by many threads. */
public interface Fleet {

    /**
     * Asks all instances to report for the next 5 s, and returns the reports that are there, by instance. The first call finds
     * none; call it once a second.
     *
     * @throws io.limiter.LimiterBackendException if Redis fails
     */
    List<InstanceReport> watch();
}
