package io.limiter.live;

import java.util.List;

/** The instances that share live limits. Safe for use by many threads. */
public interface Fleet {

    /**
     * Has all instances report for the next 5 s, and returns the reports that are there. The first call finds none; call it
     * once a second.
     *
     * @throws io.limiter.LimiterBackendException if Redis fails
     */
    Reports watch();

    /**
     * What the instances have reported.
     *
     * @param instances by name
     * @param unreadable reports that cannot be read, for example of an instance with another version of this library
     */
    record Reports(List<InstanceReport> instances, List<Unreadable> unreadable) {

        public Reports {
            instances = List.copyOf(instances);
            unreadable = List.copyOf(unreadable);
        }
    }
}
