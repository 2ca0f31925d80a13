package io.limiter;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Redis has recovered, or one master of a Redis Cluster. See {@link LimiterListener#onBackendUp}. */
public final class LimiterBackendUpEvent {

    private final String node;
    private final Duration downtime;

    private LimiterBackendUpEvent(String node, Duration downtime) {
        this.node = Objects.requireNonNull(node, "node");
        this.downtime = Objects.requireNonNull(downtime, "downtime");
    }

    /** An event with these values. */
    public static LimiterBackendUpEvent of(String node, Duration downtime) {
        return new LimiterBackendUpEvent(node, downtime);
    }

    /** In a Redis Cluster, the master as {@code host:port}, otherwise {@link BackendState#ONLY_NODE}. */
    public String node() {
        return node;
    }

    /** How long it was unavailable. */
    public Duration downtime() {
        return downtime;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof LimiterBackendUpEvent that
                        && node.equals(that.node)
                        && downtime.equals(that.downtime);
    }

    @Override
    public int hashCode() {
        int hash = node.hashCode();
        hash = 31 * hash + downtime.hashCode();
        return hash;
    }

    @Override
    public String toString() {
        return "LimiterBackendUpEvent[node=" + node + ", downtime=" + downtime + "]";
    }
}
