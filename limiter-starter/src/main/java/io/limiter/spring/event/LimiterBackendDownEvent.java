package io.limiter.spring.event;

import io.limiter.LimiterBackendException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Redis is unavailable, or one master of a Redis Cluster; see {@link io.limiter.LimiterListener#backendDown}.
 */
public final class LimiterBackendDownEvent {

    private final String node;
    private final LimiterBackendException cause;

    private LimiterBackendDownEvent(String node, LimiterBackendException cause) {
        this.node = Objects.requireNonNull(node, "node");
        this.cause = Objects.requireNonNull(cause, "cause");
    }

    /** With these values. Applications need it in tests only. */
    public static LimiterBackendDownEvent of(String node, LimiterBackendException cause) {
        return new LimiterBackendDownEvent(node, cause);
    }

    /**
     * The node in a Redis Cluster, the master as {@code host:port}; otherwise {@link
     * io.limiter.BackendState#ONLY_NODE}.
     */
    public String node() {
        return node;
    }

    /** The last failure. */
    public LimiterBackendException cause() {
        return cause;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LimiterBackendDownEvent that && node.equals(that.node) && cause.equals(that.cause);
    }

    @Override
    public int hashCode() {
        return Objects.hash(node, cause);
    }

    @Override
    public String toString() {
        return "LimiterBackendDownEvent[node=" + node + ", cause=" + cause + "]";
    }
}
