package io.limiter.live;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The instances that share live limits. Safe for use by many threads. */
public interface Fleet {

    /**
     * Makes all instances report for the next 5 s, and returns the reports that exist. The first call finds none, so call it once a second.
     *
     * @throws io.limiter.LimiterBackendException if Redis fails
     */
    Reports watch();

    /**
     * What the instances have reported.
     */
    static final class Reports {

        private final List<InstanceReport> instances;
        private final List<Unreadable> unreadable;

        private Reports(List<InstanceReport> instances, List<Unreadable> unreadable) {
            this.instances = List.copyOf(instances);
            this.unreadable = List.copyOf(unreadable);
        }

        /** Creates one with these values, which applications need only in tests. */
        public static Reports of(List<InstanceReport> instances, List<Unreadable> unreadable) {
            return new Reports(instances, unreadable);
        }

        /** The reports by the name of the instance. */
        public List<InstanceReport> instances() {
            return instances;
        }

        /** Reports that cannot be read, for example of an instance with another version of this library. */
        public List<Unreadable> unreadable() {
            return unreadable;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Reports that
                    && instances.equals(that.instances)
                    && unreadable.equals(that.unreadable);
        }

        @Override
        public int hashCode() {
            return Objects.hash(instances, unreadable);
        }

        @Override
        public String toString() {
            return "Reports[instances=" + instances + ", unreadable=" + unreadable + "]";
        }
    }
}
