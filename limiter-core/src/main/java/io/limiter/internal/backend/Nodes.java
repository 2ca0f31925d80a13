package io.limiter.internal.backend;

import io.limiter.BackendState;
import org.jspecify.annotations.Nullable;

/** The nodes of a backend, one of which can be unavailable while the others decide, and the connections to them. */
public interface Nodes {

    /** A single node whose client restores broken connections by itself. */
    Nodes ONE = new Nodes() {};

    /** The name of the node that decides a key. Never blocks. */
    default String nodeOf(String key) {
        return BackendState.ONLY_NODE;
    }

    /**
     * Whether a node decides a key that was just probed; another one may have answered. Blocks.
     *
     * @throws io.limiter.LimiterBackendException if the node decides it as far as the client knows, and does not answer
     */
    default boolean isOn(String node, String key) {
        return nodeOf(key).equals(node);
    }

    /**
     * A key that a node decides, for a probe of that node: the given one, if it still does.
     *
     * @return {@code null} if it decides no key any more
     */
    default @Nullable String keyOn(String node, String key) {
        return key;
    }

    /** The number of nodes, as far as it is known. Never blocks. */
    default int nodeCount() {
        return 1;
    }

    /** Whether there is a connection to the node of a key, as far as the client knows. */
    default boolean isConnected(String key) {
        return true;
    }

    /**
     * Replaces the connection to the node of a key. Blocks. Calls over the former one may fail, so this is for
     * probes that had no answer.
     *
     * @return whether it was replaced; {@code false} if the client sees to that
     * @throws io.limiter.LimiterBackendException if there is no connection
     */
    default boolean reconnect(String key) {
        return false;
    }
}
