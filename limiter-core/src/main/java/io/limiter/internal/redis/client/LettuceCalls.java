package io.limiter.internal.redis.client;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.limiter.BackendState;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.resilience.Deadlines;
import io.limiter.internal.statistics.EngineObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceExceptionConverter;

/**
 * Calls over Lettuce's own asynchronous commands, on the connection that Spring's factory shares among all, or on one of the
 * limiters' own if it shares none: no thread waits for an answer, and many calls can be under way. Answers arrive on the client's
 * I/O thread.
 *
 * <p>Lettuce restores a broken connection after pauses that grow to half a minute, and does not notice one over which
 * nothing arrives any more. So a failed probe opens another connection to that node, from the same client. It stays in
 * use until it fails itself, and is closed then, or with the limiters.
 */
final class LettuceCalls extends RedisCalls {

    private final LettuceConnectionFactory factory;
    private final long decisionTimeoutNanos;
    // Not the thread that checks deadlines, because more depends on these answers than a thread that waits.
    private final Executor overdue;
    private final SentCommands sent;
    private final LettuceExceptionConverter errors = new LettuceExceptionConverter();
    // The one that Spring's factory shares, or the limiters' only one if it shares none.
    private volatile @Nullable NativeConnection shared;
    // The limiters' own, by node.
    private final Map<String, NativeConnection> own = new ConcurrentHashMap<>();
    private final ConnectionOpener opener;
    // Guarded by the monitor of this.
    private boolean closed;

    private LettuceCalls(LettuceConnectionFactory factory, Deadlines deadlines, EngineObserver observer) {
        super(factory, observer, deadlines);
        this.factory = factory;
        this.decisionTimeoutNanos = deadlines.decisionTimeoutNanos();
        this.overdue = deadlines::handOver;
        this.sent = new SentCommands(deadlines);
        this.opener = new ConnectionOpener(() -> NativeConnection.open(factory, connection()), deadlines);
    }

    /**
     * Only to be called where Lettuce is present: without it, this class cannot even be linked.
     *
     * @param deadlines end commands that take too long
     * @return {@code null} if the factory is not Lettuce's
     */
    static @Nullable RedisCalls ifLettuce(
            RedisConnectionFactory connections, Deadlines deadlines, EngineObserver observer) {
        return connections instanceof LettuceConnectionFactory lettuce
                ? new LettuceCalls(lettuce, deadlines, observer)
                : null;
    }

    @Override
    public Boolean cluster() {
        return factory.isClusterAware();
    }

    /** Before there is a connection. */
    @Override
    public boolean blocks() {
        NativeConnection now = shared;
        return now == null || now.isClosed();
    }

    @Override
    void connectNow() {
        connection();
    }

    /** A factory for a socket of a file has a host, too, which it does not use. */
    @Override
    Collection<? extends RedisNode> nodes() {
        boolean isNetwork = factory.getSocketConfiguration() == null;
        return nodes(
                factory.getClusterConfiguration(),
                factory.getSentinelConfiguration(),
                isNetwork ? new RedisNode(factory.getHostName(), factory.getPort()) : null);
    }

    @Override
    public boolean isConnected(String key) {
        return blocks() || connection(utf8(key)).isConnected();
    }

    /** Opens a connection of the limiters' own, and waits for it for a decision timeout at most. */
    @Override
    public boolean reconnect(String key) {
        try {
            if (blocks()) {
                connectNow();
            } else {
                refreshTopology();
                String node = nodeOf(key);
                install(node, opener.open(node));
            }
            return true;
        } catch (RuntimeException e) {
            throw RedisErrors.of(key, new NotConnectedException(e));
        }
    }

    /** Lettuce does that by itself every half a minute at most, and a promoted replica is not found before. */
    private void refreshTopology() {
        if (factory.getRequiredNativeClient() instanceof RedisClusterClient client) {
            // In the background, because it waits for nodes that do not answer. The next failed probe tries again.
            client.refreshPartitionsAsync();
        }
    }

    /** The calls over the former connection are overdue: a probe over it has failed since. */
    private synchronized void install(String node, NativeConnection opened) {
        if (closed) {
            opened.close();
            return;
        }
        opened.listen(sent, factory);
        NativeConnection former = own.put(node, opened);
        if (former != null) {
            former.close();
        }
        Partitions known = partitions();
        if (known != null) {
            own.entrySet().removeIf(each -> closeIfGone(each.getKey(), each.getValue(), known));
        }
    }

    /** Masters come and go under new addresses. */
    private static boolean closeIfGone(String node, NativeConnection connection, Partitions known) {
        boolean gone = all(known).stream().noneMatch(each -> name(each).equals(node));
        if (gone) {
            connection.close();
        }
        return gone;
    }

    @Override
    public void send(
            LuaScript script,
            byte[][] keys,
            byte[][] arguments,
            BiConsumer<@Nullable List<Object>, @Nullable Throwable> ended) {
        run(script, decisionTimeoutNanos, overdue, keys, arguments, ended);
    }

    @Override
    public CompletableFuture<List<Object>> start(
            LuaScript script, Duration timeout, byte[][] keys, byte[]... arguments) {
        CompletableFuture<List<Object>> future = new CompletableFuture<>();
        run(script, timeout.toNanos(), Runnable::run, keys, arguments, (reply, error) -> {
            if (error == null) {
                future.complete(reply);
            } else {
                future.completeExceptionally(error);
            }
        });
        return future;
    }

    /**
     * Fails with Spring's exceptions, as its own commands would.
     *
     * @param endOverdue ends it at the deadline
     */
    private void run(
            LuaScript script,
            long timeoutNanos,
            Executor endOverdue,
            byte[][] keys,
            byte[][] arguments,
            BiConsumer<@Nullable List<Object>, @Nullable Throwable> ended) {
        NativeConnection on;
        try {
            on = connection(keys[0]);
        } catch (RuntimeException e) {
            ended.accept(null, new NotSentException(e));
            return;
        }
        SentCommands.Sent command = sent.add(ended, on, timeoutNanos, endOverdue);
        try {
            command.as(on.commands().<List<Object>>evalsha(script.sha1(), ScriptOutputType.MULTI, keys, arguments))
                    .whenComplete((reply, error) -> {
                        if (error instanceof RedisNoScriptException) {
                            runSource(on, script, keys, arguments, command);
                        } else {
                            command.answered(reply, error == null ? null : converted(error, on));
                        }
                    });
        } catch (RuntimeException e) {
            command.end(null, new NotSentException(e));
        }
    }

    /** On the same connection: this is the client's thread, which must not connect. */
    private void runSource(
            NativeConnection on, LuaScript script, byte[][] keys, byte[][] arguments, SentCommands.Sent command) {
        if (command.isCancelled()) {
            // No caller waits for it any more, and nothing was executed yet.
            return;
        }
        try {
            command.as(on.commands().<List<Object>>eval(script.source(), ScriptOutputType.MULTI, keys, arguments))
                    .whenComplete(
                            (reply, error) -> command.answered(reply, error == null ? null : converted(error, on)));
        } catch (RuntimeException e) {
            // Otherwise the answer would never come.
            command.end(null, e);
        }
    }

    private Throwable converted(Throwable error, NativeConnection on) {
        Throwable cause = AsyncFailures.cause(error);
        RuntimeException converted = cause instanceof Exception e ? errors.convert(e) : null;
        if (converted != null && RedisErrors.isQueueFull(cause) && !on.isConnected()) {
            // It keeps commands until it is connected again.
            return new NotConnectedException(converted);
        }
        return converted == null ? cause : converted;
    }

    private NativeConnection connection(byte[] key) {
        NativeConnection ours = own.isEmpty() ? null : own.get(nodeOf(key));
        return ours == null || ours.isClosed() ? connection() : ours;
    }

    private NativeConnection connection() {
        NativeConnection now = shared;
        if (now == null || now.isClosed()) {
            now = share(
                    factory.getShareNativeConnection()
                            ? onConnection(NativeConnection::shared)
                            : uninterrupted(() -> connected(() -> {
                                started();
                                return NativeConnection.openBySpring(factory);
                            })));
        }
        return now;
    }

    /** If several threads connect at the same time, all use the first connection, because the commands of all must be found there. */
    private synchronized NativeConnection share(NativeConnection newConnected) {
        NativeConnection before = shared;
        if (before != null) {
            if (!before.isClosed()) {
                newConnected.close();
                return before;
            }
            before.stopListening();
        }
        if (!closed) {
            newConnected.listen(sent, factory);
        }
        shared = newConnected;
        return newConnected;
    }

    /** The node that has a key, in a Cluster as {@code host:port}. */
    @Override
    public String nodeOf(String key) {
        // Without a Cluster the key need not be encoded.
        return partitions() == null ? BackendState.ONLY_NODE : nodeOf(utf8(key));
    }

    private String nodeOf(byte[] key) {
        Partitions known = partitions();
        RedisClusterNode node = known == null ? null : known.getPartitionBySlot(SlotHash.getSlot(key));
        return node == null ? BackendState.ONLY_NODE : name(node);
    }

    private static byte[] utf8(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    private static String name(RedisClusterNode node) {
        return node.getUri().getHost() + ":" + node.getUri().getPort();
    }

    /** How many nodes have slots. */
    @Override
    public int nodeCount() {
        Partitions known = partitions();
        return known == null
                ? 1
                : (int) all(known).stream()
                        .filter(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM)
                                && !node.getSlots().isEmpty())
                        .count();
    }

    /** By the iterator, which is of one moment; Lettuce changes the list itself when it reads the topology again. */
    static List<RedisClusterNode> all(Partitions known) {
        List<RedisClusterNode> nodes = new ArrayList<>();
        known.forEach(nodes::add);
        return nodes;
    }

    private @Nullable Partitions partitions() {
        NativeConnection now = shared;
        return now == null ? null : now.partitions();
    }

    /**
     * The shared connection is the application's, and does not know this any more. Before the limiters' own are closed,
     * the commands in flight are answered, for a decision timeout at most.
     */
    @Override
    public void close() {
        if (!own.isEmpty()) {
            sent.awaitAnswers();
        }
        closeConnections();
    }

    private synchronized void closeConnections() {
        closed = true;
        opener.close();
        NativeConnection now = shared;
        if (now != null) {
            now.close();
        }
        own.values().forEach(NativeConnection::close);
    }
}
