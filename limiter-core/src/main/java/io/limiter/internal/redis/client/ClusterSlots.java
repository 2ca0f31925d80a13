package io.limiter.internal.redis.client;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Which master of a Cluster has which slot, for clients that find it out only by a call that blocks. */
final class ClusterSlots {

    private final RedisConnectionFactory connections;
    private volatile @Nullable String @Nullable [] masters;

    ClusterSlots(RedisConnectionFactory connections) {
        this.connections = connections;
    }

    /** Loads them once; blocks. */
    void ensureLoaded() {
        if (masters == null) {
            load();
        }
    }

    /** Loads them again, for which it blocks. Without an answer they stay as they are. */
    void load() {
        @Nullable String[] loaded = new String[ClusterSlotHashUtil.SLOT_COUNT];
        try (RedisClusterConnection connection = connections.getClusterConnection()) {
            for (RedisClusterNode node : connection.clusterGetNodes()) {
                for (int slot : node.getSlotRange().getSlots()) {
                    loaded[slot] = node.getHost() + ":" + node.getPort();
                }
            }
            masters = loaded;
        } catch (RuntimeException e) {
            // Only a label depends on this. The decision itself reports what is wrong, and a failed probe tries again.
            if (masters == null) {
                masters = new String[ClusterSlotHashUtil.SLOT_COUNT];
            }
        }
    }

    /**
     * {@code PING}; an error reply is an answer, too.
     *
     * @param key named in the failure
     * @throws LimiterBackendException if there is no answer
     */
    void ping(String node, String key) {
        try (RedisClusterConnection connection = connections.getClusterConnection()) {
            int port = node.lastIndexOf(':') + 1;
            connection.ping(new RedisClusterNode(node.substring(0, port - 1), Integer.parseInt(node.substring(port))));
        } catch (RuntimeException e) {
            LimiterBackendException failure = RedisErrors.of(key, e);
            if (failure.kind() != Kind.PERMANENT) {
                throw failure;
            }
        }
    }

    /** The master that has a slot, or {@code null} if that is not known. */
    @Nullable
    String masterOf(int slot) {
        @Nullable String[] known = masters;
        return known == null ? null : known[slot];
    }

    /** How many masters have slots. */
    int count() {
        @Nullable String[] known = masters;
        if (known == null) {
            return 1;
        }
        HashSet<@Nullable String> different = new HashSet<>(Arrays.asList(known));
        different.removeIf(Objects::isNull);
        return Math.max(1, different.size());
    }
}
