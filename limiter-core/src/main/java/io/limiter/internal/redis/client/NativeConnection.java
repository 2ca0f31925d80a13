package io.limiter.internal.redis.client;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Lettuce's own connection, without Spring's around it. Until it is closed, Lettuce restores it when it breaks. */
final class NativeConnection {

    private final RedisClusterAsyncCommands<byte[], byte[]> commands;
    private final StatefulConnection<?, ?> connection;
    private final Runnable close;
    // Guarded by the monitor of the LettuceCalls.
    private Runnable removeListener = () -> {};

    // Both methods are deprecated, and the interface above them has none.
    @SuppressWarnings("deprecation")
    private NativeConnection(RedisClusterAsyncCommands<byte[], byte[]> commands, Runnable close) {
        this.commands = commands;
        this.connection = commands instanceof RedisAdvancedClusterAsyncCommands<byte[], byte[]> cluster
                ? cluster.getStatefulConnection()
                : ((RedisAsyncCommands<byte[], byte[]>) commands).getStatefulConnection();
        this.close = close;
    }

    /** The one that Spring's factory shares, which is not closed here. */
    static NativeConnection shared(RedisConnection connection) {
        return new NativeConnection(((LettuceConnection) connection).getNativeConnection(), () -> {});
    }

    /** Opens another one to where the shared one leads. */
    static NativeConnection open(LettuceConnectionFactory factory, NativeConnection shared) {
        if (shared.connection instanceof StatefulRedisMasterReplicaConnection) {
            return openBySpring(factory);
        }
        if (factory.getRequiredNativeClient() instanceof RedisClusterClient client) {
            StatefulRedisClusterConnection<byte[], byte[]> opened = client.connect(ByteArrayCodec.INSTANCE);
            return new NativeConnection(opened.async(), opened::closeAsync);
        }
        RedisClient client = (RedisClient) factory.getRequiredNativeClient();
        StatefulRedisConnection<byte[], byte[]> opened = client.connect(ByteArrayCodec.INSTANCE);
        return new NativeConnection(opened.async(), opened::closeAsync);
    }

    /** Only the factory knows all nodes, and it opens a connection that nothing else shares only for a pipeline. */
    static NativeConnection openBySpring(LettuceConnectionFactory factory) {
        RedisConnection opened = factory.getConnection();
        try {
            opened.openPipeline();
            NativeConnection connected =
                    new NativeConnection(((LettuceConnection) opened).getNativeConnection(), opened::close);
            connected.connection.setAutoFlushCommands(true);
            return connected;
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /**
     * Where there is a connection for each master and replica behind this one, only the client learns what becomes
     * of them, and it learns of others too. In a Cluster it does not help: Lettuce sends again what was given up, and
     * what was sent to other nodes is not concerned.
     */
    void listen(SentCommands sent, LettuceConnectionFactory factory) {
        RedisConnectionStateListener listener = sent.cancelling(this);
        if (connection instanceof StatefulRedisMasterReplicaConnection) {
            AbstractRedisClient client = factory.getRequiredNativeClient();
            client.addListener(listener);
            removeListener = () -> client.removeListener(listener);
        } else if (connection instanceof StatefulRedisConnection) {
            connection.addListener(listener);
            removeListener = () -> connection.removeListener(listener);
        }
    }

    void stopListening() {
        removeListener.run();
    }

    void close() {
        stopListening();
        if (!isClosed()) {
            close.run();
        }
    }

    RedisClusterAsyncCommands<byte[], byte[]> commands() {
        return commands;
    }

    /** What is known of the nodes of a Cluster; {@code null} if it is none. */
    @Nullable
    Partitions partitions() {
        return connection instanceof StatefulRedisClusterConnection<?, ?> cluster ? cluster.getPartitions() : null;
    }

    /** Of several nodes' connections, it is not known. */
    boolean isConnected() {
        return connection.isOpen()
                || connection instanceof StatefulRedisMasterReplicaConnection
                || connection instanceof StatefulRedisClusterConnection;
    }

    boolean isClosed() {
        return connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
    }
}
