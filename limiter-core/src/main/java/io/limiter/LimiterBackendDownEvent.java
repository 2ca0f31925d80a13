package io.limiter;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Redis is unavailable, or one master of a Redis Cluster. See {@link LimiterListener#onBackendDown}. */
public final class LimiterBackendDownEvent {

    private final String node;
    private final LimiterBackendException cause;

    private LimiterBackendDownEvent(String node, LimiterBackendException cause) {
        this.node = Objects.requireNonNull(node, "node");
        this.cause = Objects.requireNonNull(cause, "cause");
    }

    /** An event with these values. */
    public static LimiterBackendDownEvent of(String node, LimiterBackendException cause) {
        return new LimiterBackendDownEvent(node, cause);
    }

    /** In a Redis Cluster, the master as {@code host:port}, otherwise {@link BackendState#ONLY_NODE}. */
    public String node() {
        return node;
    }

    /** The last failure. */
    public LimiterBackendException cause() {
        return cause;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof LimiterBackendDownEvent that && node.equals(that.node) && cause.equals(that.cause);
    }

    @Override
    public int hashCode() {
        int hash = node.hashCode();
        hash = 31 * hash + cause.hashCode();
        return hash;
    }

    @Override
    public String toString() {
        return "LimiterBackendDownEvent[node=" + node + ", cause=" + cause + "]";
    }
}
