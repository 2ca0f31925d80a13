package io.limiter.internal.redis.client;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.limiter.BackendState;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.resilience.Deadlines;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceExceptionConverter;

/**
 * Scripts over Lettuce's own asynchronous commands, on the connection that Spring's factory shares among all: no thread
 * waits for an answer, and many calls can be under way. Answers arrive on the client's I/O thread.
 *
 * <p>Lettuce restores a broken connection after pauses that grow to half a minute, and does not notice one over which
 * nothing arrives any more. So a failed probe opens another connection to that node, from the same client. It stays in
 * use until it fails itself, and is closed then, or with the limiters.
 */
final class LettuceScripts {

    // Longer than the longest pause between two probes, unless that is set to more.
    private static final Duration HAND_OVER = Duration.ofSeconds(30);

    private final LettuceConnectionFactory factory;
    private final Supplier<Connected> connectShared;
    private final Deadlines deadlines;
    private final SentCommands sent;
    private final LettuceExceptionConverter errors = new LettuceExceptionConverter();
    // The one that Spring's factory shares.
    private volatile @Nullable Connected shared;
    // The limiters' own, by node.
    private final Map<String, Connected> own = new ConcurrentHashMap<>();
    private final Map<String, SynchronousQueue<Opened>> opening = new ConcurrentHashMap<>();
    // Written under the monitor of this.
    private volatile boolean closed;

    private LettuceScripts(LettuceConnectionFactory factory, Supplier<Connected> connectShared, Deadlines deadlines) {
        this.factory = factory;
        this.deadlines = deadlines;
        this.sent = new SentCommands(deadlines);
        this.connectShared = connectShared;
    }

    /**
     * Only to be called where Lettuce is present: without it, this class cannot even be linked.
     *
     * @param connected runs a function on a connection of the factory's, which it then gives back
     * @param deadlines see to it that no command is waited for too long
     * @return {@code null} if the factory is not Lettuce's, or gives every caller a connection of its own
     */
    static @Nullable LettuceScripts of(
            RedisConnectionFactory connections,
            Function<Function<RedisConnection, Connected>, Connected> connected,
            Deadlines deadlines) {
        return connections instanceof LettuceConnectionFactory lettuce && lettuce.getShareNativeConnection()
                ? new LettuceScripts(lettuce, () -> connected.apply(Connected::shared), deadlines)
                : null;
    }

    boolean isCluster() {
        return factory.isClusterAware();
    }

    /** Whether the next call has to connect first, which blocks. */
    boolean mustConnect() {
        Connected now = shared;
        return now == null || now.isClosed();
    }

    /** Whether a probe has a chance to be answered over the connection to the node of a key. */
    boolean isConnected(byte[] key) {
        return mustConnect() || connection(key).isConnected();
    }

    /**
     * Opens a connection of the limiters' own to the node of a key, and waits for it for a decision timeout at most.
     *
     * @throws RuntimeException if there is none by then
     */
    void reconnect(byte[] key) {
        if (mustConnect()) {
            connect();
            return;
        }
        refreshTopology();
        String node = nodeOf(key);
        try {
            Opened opened = opening.computeIfAbsent(node, this::open)
                    .poll(deadlines.decisionTimeoutNanos(), TimeUnit.NANOSECONDS);
            if (opened == null || opened.connection == null) {
                throw new RedisConnectionFailureException(
                        "no new connection" + (opened == null ? " yet" : ""), opened == null ? null : opened.failure);
            }
            install(node, opened.connection);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisConnectionFailureException("interrupted", e);
        }
    }

    /** Lettuce does that by itself every half a minute at most, and a promoted replica is not found before. */
    private void refreshTopology() {
        if (factory.getRequiredNativeClient() instanceof RedisClusterClient client) {
            // In the background, because it waits for nodes that do not answer. The next failed probe tries again.
            client.refreshPartitionsAsync();
        }
    }

    private record Opened(
            @Nullable Connected connection, @Nullable Throwable failure) {}

    /** On a thread of its own, because the client waits for a node that does not answer for up to a minute. */
    private SynchronousQueue<Opened> open(String node) {
        SynchronousQueue<Opened> handOver = new SynchronousQueue<>();
        Thread thread = new Thread(() -> open(node, handOver), "limiter-connect");
        thread.setDaemon(true);
        thread.start();
        return handOver;
    }

    /**
     * Connecting can take longer than a probe waits; then the next probe takes the connection. What none takes is
     * closed: there was an answer over the former connection.
     */
    private void open(String node, SynchronousQueue<Opened> handOver) {
        Connected connection = null;
        Throwable failure = null;
        try {
            connection = Connected.open(factory, connection());
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        boolean taken = false;
        try {
            Opened opened = new Opened(connection, failure);
            long startNanos = System.nanoTime();
            while (!taken && !closed && System.nanoTime() - startNanos < HAND_OVER.toNanos()) {
                taken = handOver.offer(opened, deadlines.decisionTimeoutNanos(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            opening.remove(node);
            if (!taken && connection != null) {
                connection.close();
            }
        }
    }

    /** The calls over the former connection are overdue: a probe over it has failed since. */
    private synchronized void install(String node, Connected opened) {
        if (closed) {
            opened.close();
            return;
        }
        opened.listen(sent, factory);
        Connected former = own.put(node, opened);
        if (former != null) {
            former.close();
        }
        Partitions known = partitions();
        if (known != null) {
            own.entrySet().removeIf(each -> closeIfGone(each.getKey(), each.getValue(), known));
        }
    }

    /** Masters come and go under new addresses. */
    private static boolean closeIfGone(String node, Connected connection, Partitions known) {
        boolean gone =
                known.getPartitions().stream().noneMatch(each -> name(each).equals(node));
        if (gone) {
            connection.close();
        }
        return gone;
    }

    /** Connects, if it has to; blocks until it is. */
    void connect() {
        connection();
    }

    /** Runs a script that returns a list; fails with Spring's exceptions, as its own commands would. */
    CompletableFuture<List<Object>> run(LuaScript script, byte[][] keys, byte[]... arguments) {
        Connected on = connection(keys[0]);
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        SentCommands.Sent command = sent.add(answer, on);
        try {
            command.as(on.commands.<List<Object>>evalsha(script.sha1(), ScriptOutputType.MULTI, keys, arguments))
                    .whenComplete((reply, error) -> {
                        if (error instanceof RedisNoScriptException) {
                            runSource(on, script, keys, arguments, answer, command);
                        } else {
                            command.answered();
                            complete(answer, reply, error);
                        }
                    });
        } catch (RuntimeException e) {
            command.answered();
            throw e;
        }
        return answer;
    }

    /** On the same connection: this is the client's thread, which must not connect. */
    private void runSource(
            Connected on,
            LuaScript script,
            byte[][] keys,
            byte[][] arguments,
            CompletableFuture<List<Object>> answer,
            SentCommands.Sent command) {
        if (answer.isDone()) {
            // Nobody waits for it any more, and nothing was executed yet.
            return;
        }
        try {
            command.as(on.commands.<List<Object>>eval(script.source(), ScriptOutputType.MULTI, keys, arguments))
                    .whenComplete((reply, error) -> {
                        command.answered();
                        complete(answer, reply, error);
                    });
        } catch (RuntimeException e) {
            // Nobody else would see it, and the answer would never come.
            command.answered();
            answer.completeExceptionally(e);
        }
    }

    private void complete(CompletableFuture<List<Object>> answer, List<Object> reply, @Nullable Throwable error) {
        if (error == null) {
            answer.complete(reply);
            return;
        }
        Throwable cause = AsyncFailures.cause(error);
        RuntimeException converted = cause instanceof Exception e ? errors.convert(e) : null;
        answer.completeExceptionally(converted == null ? cause : converted);
    }

    private Connected connection(byte[] key) {
        Connected ours = own.isEmpty() ? null : own.get(nodeOf(key));
        return ours == null || ours.isClosed() ? connection() : ours;
    }

    private Connected connection() {
        Connected now = shared;
        if (now == null || now.isClosed()) {
            now = share(connectShared.get());
        }
        return now;
    }

    /** Of several threads that connect at once, the first one's counts: the commands of the others must be found by it. */
    private synchronized Connected share(Connected newConnected) {
        Connected before = shared;
        if (before != null) {
            if (!before.isClosed()) {
                return before;
            }
            before.listenNoMore.run();
        }
        if (!closed) {
            newConnected.listen(sent, factory);
        }
        shared = newConnected;
        return newConnected;
    }

    /** The node that has a key, as {@code host:port}. */
    String nodeOf(byte[] key) {
        Partitions known = partitions();
        RedisClusterNode node = known == null ? null : known.getPartitionBySlot(SlotHash.getSlot(key));
        return node == null ? BackendState.ONLY_NODE : name(node);
    }

    private static String name(RedisClusterNode node) {
        return node.getUri().getHost() + ":" + node.getUri().getPort();
    }

    /** How many nodes have slots. */
    int nodes() {
        Partitions known = partitions();
        return known == null
                ? 1
                : (int) known.getPartitions().stream()
                        .filter(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM)
                                && !node.getSlots().isEmpty())
                        .count();
    }

    private @Nullable Partitions partitions() {
        Connected now = shared;
        return now != null && now.connection instanceof StatefulRedisClusterConnection<?, ?> cluster
                ? cluster.getPartitions()
                : null;
    }

    /**
     * The shared connection is the application's, and does not know this any more. Before the limiters' own are closed,
     * the commands in flight are answered, for a decision timeout at most.
     */
    void close() {
        if (!own.isEmpty()) {
            sent.awaitAnswers();
        }
        closeConnections();
    }

    private synchronized void closeConnections() {
        closed = true;
        Connected now = shared;
        if (now != null) {
            now.listenNoMore.run();
        }
        own.values().forEach(Connected::close);
    }

    /** A connection; until it is closed, Lettuce restores it when it breaks. */
    static final class Connected {

        private final RedisClusterAsyncCommands<byte[], byte[]> commands;
        private final StatefulConnection<?, ?> connection;
        private final Runnable close;
        // Guarded by the monitor of the scripts.
        private Runnable listenNoMore = () -> {};

        private Connected(RedisClusterAsyncCommands<byte[], byte[]> commands, Runnable close) {
            this.commands = commands;
            this.connection = commands instanceof RedisAdvancedClusterAsyncCommands<byte[], byte[]> cluster
                    ? cluster.getStatefulConnection()
                    : ((RedisAsyncCommands<byte[], byte[]>) commands).getStatefulConnection();
            this.close = close;
        }

        private static Connected shared(RedisConnection connection) {
            return new Connected(((LettuceConnection) connection).getNativeConnection(), () -> {});
        }

        /** Opens another one to where the shared one leads. */
        private static Connected open(LettuceConnectionFactory factory, Connected shared) {
            if (shared.connection instanceof StatefulRedisMasterReplicaConnection) {
                return openBySpring(factory);
            }
            if (factory.getRequiredNativeClient() instanceof RedisClusterClient client) {
                StatefulRedisClusterConnection<byte[], byte[]> opened = client.connect(ByteArrayCodec.INSTANCE);
                return new Connected(opened.async(), opened::closeAsync);
            }
            RedisClient client = (RedisClient) factory.getRequiredNativeClient();
            StatefulRedisConnection<byte[], byte[]> opened = client.connect(ByteArrayCodec.INSTANCE);
            return new Connected(opened.async(), opened::closeAsync);
        }

        /** Only the factory knows all nodes, and a connection of one's own is what it gives to pipelines. */
        private static Connected openBySpring(LettuceConnectionFactory factory) {
            RedisConnection opened = factory.getConnection();
            try {
                opened.openPipeline();
                Connected connected = new Connected(((LettuceConnection) opened).getNativeConnection(), opened::close);
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
        private void listen(SentCommands sent, LettuceConnectionFactory factory) {
            RedisConnectionStateListener listener = sent.cancelling(this);
            if (connection instanceof StatefulRedisMasterReplicaConnection) {
                AbstractRedisClient client = factory.getRequiredNativeClient();
                client.addListener(listener);
                listenNoMore = () -> client.removeListener(listener);
            } else if (connection instanceof StatefulRedisConnection) {
                connection.addListener(listener);
                listenNoMore = () -> connection.removeListener(listener);
            }
        }

        private void close() {
            listenNoMore.run();
            if (!isClosed()) {
                close.run();
            }
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
}
