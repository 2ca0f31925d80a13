package io.limiter.internal.redis.client;

import io.limiter.BackendState;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.resilience.Deadlines;
import io.limiter.spi.EngineObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStringCommands.SetOption;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.types.Expiration;
import org.springframework.util.ClassUtils;

/**
 * Calls Redis; nothing else here does. Scripts run by digest, and with the whole text only if Redis does not know it (it was restarted,
 * or its scripts were flushed); that error says that nothing was executed, so the second call cannot count twice.
 *
 * <p>Connections come from the factory rather than through a template, so that a decision never becomes part of a
 * transaction that the calling thread has open.
 *
 * <p>Where the client is Lettuce, decisions go over its own asynchronous commands, and no thread waits. Everything else
 * goes through Spring's connections, and blocks.
 *
 * <p>A thread that was interrupted before can still call, as it can with a limiter in process, and stays
 * interrupted. One that is interrupted while a blocking client waits for the answer gets the client's exception.
 */
public final class RedisCalls {

    private static final boolean HAS_LETTUCE =
            ClassUtils.isPresent("io.lettuce.core.RedisClient", RedisCalls.class.getClassLoader());

    private static final byte[][] NO_ARGUMENTS = {};

    // These hash tags, from 0, are in all slots.
    private static final int ENOUGH_TAGS = 1 << 18;

    private final RedisConnectionFactory connections;
    private final EngineObserver observer;
    private final @Nullable LettuceScripts lettuce;
    private final ClusterSlots slots;
    private final long timeoutNanos;
    // Not the thread that checks deadlines, because more depends on these answers than a thread that waits.
    private final Executor overdue;
    private volatile @Nullable Boolean cluster;

    /** One that blocks, whatever the client, and whose calls are not observed. */
    public RedisCalls(RedisConnectionFactory connections) {
        this.connections = connections;
        this.slots = new ClusterSlots(connections);
        this.observer = EngineObserver.NONE;
        this.lettuce = null;
        this.timeoutNanos = 0;
        this.overdue = Runnable::run;
    }

    /**
     * @param deadlines end calls that take too long, where no thread waits
     * @param observer observes how long each call takes
     */
    public RedisCalls(RedisConnectionFactory connections, Deadlines deadlines, EngineObserver observer) {
        this.connections = connections;
        this.slots = new ClusterSlots(connections);
        this.observer = observer;
        this.timeoutNanos = deadlines.decisionTimeoutNanos();
        this.overdue = deadlines::handOver;
        this.lettuce = HAS_LETTUCE ? LettuceScripts.of(connections, this::call, deadlines) : null;
    }

    /** How many hash slots keys are in; a call can have keys of one only. */
    public int slots() {
        return isCluster() ? ClusterSlotHashUtil.SLOT_COUNT : 1;
    }

    /** The hash slot of a key, from 0. */
    public int slotOf(String key) {
        return isCluster() ? ClusterSlotHashUtil.calculateSlot(key) : 0;
    }

    /** Whether it is a Redis Cluster, where a call sees the keys of one slot only. */
    public boolean isCluster() {
        Boolean known = cluster;
        if (known == null) {
            known = lettuce != null ? lettuce.isCluster() : hasClusterConnection();
            cluster = known;
        }
        return known;
    }

    /** From the factory and not from a connection, which would have to be made: callers of this must not block. */
    private boolean hasClusterConnection() {
        try (RedisClusterConnection connection = connections.getClusterConnection()) {
            return connection != null;
        } catch (InvalidDataAccessApiUsageException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** Whether {@link #send} would block now, because the client can do no other or is not connected yet. */
    public boolean blocks() {
        return lettuce == null || lettuce.mustConnect();
    }

    /** Connects where {@link #send} would have to; blocks until it has. */
    public void connect() {
        if (lettuce != null) {
            lettuce.connect();
        } else if (isCluster()) {
            slots.ensureLoaded();
        }
    }

    /** The node that has a key; in a Cluster as {@code host:port}. Does not block. */
    public String nodeOf(String key) {
        if (!isCluster()) {
            return BackendState.ONLY_NODE;
        }
        String master = lettuce == null ? slots.masterOf(slotOf(key)) : lettuce.nodeOf(utf8(key));
        return master == null ? BackendState.ONLY_NODE : master;
    }

    /**
     * Whether a node has a key that a probe has just asked about; blocks. Lettuce sends a call to the node that it names
     * here; other clients may have followed the key to a node that they name up to 100 ms later, so the node itself is
     * called.
     *
     * @throws RuntimeException if the node has the key as far as the client knows, and does not answer
     */
    public boolean isOn(String node, String key) {
        refreshNodes();
        if (!nodeOf(key).equals(node)) {
            return false;
        }
        if (lettuce == null && isCluster()) {
            slots.ping(node);
        }
        return true;
    }

    private void refreshNodes() {
        if (lettuce == null && isCluster()) {
            slots.load();
        }
    }

    /** The given key if the node has it, or else another one that it has; {@code null} if it has none. */
    public @Nullable String keyOn(String node, String key) {
        if (node.equals(BackendState.ONLY_NODE) || nodeOf(key).equals(node)) {
            return key;
        }
        for (int i = 0; i < ENOUGH_TAGS; i++) {
            String other = "{" + i + "}";
            if (nodeOf(other).equals(node)) {
                return other;
            }
        }
        return null;
    }

    /** How many nodes there are, as far as that is known. */
    public int nodes() {
        return lettuce == null ? slots.count() : lettuce.nodes();
    }

    /** Whether a probe has a chance to be answered over the connection to the node of a key. */
    public boolean isConnected(String key) {
        return lettuce == null || lettuce.isConnected(utf8(key));
    }

    /**
     * Opens another connection to the node of a key, over which the next calls go; blocks.
     *
     * @return whether it did; not if the client does that by itself
     */
    public boolean reconnect(String key) {
        if (lettuce == null) {
            refreshNodes();
            return false;
        }
        try {
            lettuce.reconnect(utf8(key));
        } catch (RuntimeException e) {
            throw new NotConnectedException(e);
        }
        return true;
    }

    private static byte[] utf8(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Runs a script that returns a list, without waiting for it if the client can do that. Calls that are sent one
     * after the other run in that order, but for one that Lettuce's I/O thread sends while the call of another thread
     * still waits for that thread: it overtakes the other.
     *
     * @param ended called once, with the reply or with the failure; with a {@link NotSentException} if the client failed
     *     before it sent anything
     */
    public void send(
            LuaScript script,
            byte[][] keys,
            byte[][] arguments,
            BiConsumer<@Nullable List<Object>, @Nullable Throwable> ended) {
        run(overdue, script, keys, arguments, ended);
    }

    /** As {@link #send}. */
    public CompletableFuture<List<Object>> start(LuaScript script, byte[][] keys, byte[]... arguments) {
        CompletableFuture<List<Object>> reply = new CompletableFuture<>();
        send(script, keys, arguments, completing(reply));
        return reply;
    }

    private static BiConsumer<@Nullable List<Object>, @Nullable Throwable> completing(
            CompletableFuture<List<Object>> future) {
        return (reply, error) -> {
            if (error == null) {
                future.complete(reply);
            } else {
                future.completeExceptionally(error);
            }
        };
    }

    private void run(
            Executor endedBy,
            LuaScript script,
            byte[][] keys,
            byte[][] arguments,
            BiConsumer<@Nullable List<Object>, @Nullable Throwable> ended) {
        if (lettuce != null) {
            long startNanos = System.nanoTime();
            try {
                lettuce.run(script, timeoutNanos, endedBy, keys, arguments, (reply, error) -> {
                    called(startNanos, error != null);
                    ended.accept(reply, error);
                });
            } catch (RuntimeException e) {
                ended.accept(null, new NotSentException(e));
            }
            return;
        }
        List<Object> reply;
        try {
            reply = list(script, timed(running(script, ReturnType.MULTI, keys, arguments)));
        } catch (RuntimeException e) {
            ended.accept(null, e);
            return;
        }
        ended.accept(reply, null);
    }

    /**
     * Runs a script that returns a list, and waits for it.
     *
     * @throws NotSentException if the client failed before it sent anything
     */
    public List<Object> call(LuaScript script, byte[] key, byte[]... arguments) {
        CompletableFuture<List<Object>> reply = new CompletableFuture<>();
        run(Runnable::run, script, new byte[][] {key}, arguments, completing(reply));
        return AsyncFailures.join(reply);
    }

    /**
     * Runs a script that returns a list and decides nothing, and waits for it. It is not observed.
     *
     * @param timeout where the client does not limit the time itself
     * @throws NotSentException if the client failed before it sent anything
     */
    public List<Object> call(LuaScript script, Duration timeout, List<byte[]> keys, List<byte[]> arguments) {
        byte[][] sentKeys = keys.toArray(NO_ARGUMENTS);
        byte[][] sentArguments = arguments.toArray(NO_ARGUMENTS);
        if (lettuce == null) {
            return list(script, call(running(script, ReturnType.MULTI, sentKeys, sentArguments)));
        }
        CompletableFuture<List<Object>> reply = new CompletableFuture<>();
        try {
            lettuce.run(script, timeout.toNanos(), Runnable::run, sentKeys, sentArguments, completing(reply));
        } catch (RuntimeException e) {
            throw new NotSentException(e);
        }
        return AsyncFailures.join(reply);
    }

    private static List<Object> list(LuaScript script, @Nullable List<Object> reply) {
        if (reply == null) {
            throw new IllegalStateException("Redis returned nothing for script " + script.sha1());
        }
        return reply;
    }

    /** Runs a script that returns 1 or 0. */
    public boolean runForFlag(LuaScript script, int keys, List<byte[]> keysAndArguments) {
        Long reply = timed(running(script, ReturnType.INTEGER, keys, keysAndArguments.toArray(NO_ARGUMENTS)));
        return reply != null && reply == 1;
    }

    /** {@code SET key value NX PX}. */
    public boolean setIfAbsent(byte[] key, byte[] value, Duration lifetime) {
        Expiration expiration = Expiration.milliseconds(lifetime.toMillis());
        return Boolean.TRUE.equals(
                timed(connection -> connection.stringCommands().set(key, value, expiration, SetOption.ifAbsent())));
    }

    /** {@code DEL key}. */
    public void delete(byte[] key) {
        timed(connection -> connection.keyCommands().del(key));
    }

    private static <T> Function<RedisConnection, @Nullable T> running(
            LuaScript script, ReturnType type, byte[][] keys, byte[]... arguments) {
        List<byte[]> keysAndArguments = new ArrayList<>(Arrays.asList(keys));
        keysAndArguments.addAll(Arrays.asList(arguments));
        return running(script, type, keys.length, keysAndArguments.toArray(NO_ARGUMENTS));
    }

    private static <T> Function<RedisConnection, @Nullable T> running(
            LuaScript script, ReturnType type, int keys, byte[][] keysAndArguments) {
        return connection -> {
            try {
                return connection.scriptingCommands().evalSha(script.sha1(), type, keys, keysAndArguments);
            } catch (RuntimeException e) {
                if (!saysNoScript(e)) {
                    throw e;
                }
                return connection.scriptingCommands().eval(script.source(), type, keys, keysAndArguments);
            }
        };
    }

    private <T extends @Nullable Object> T timed(Function<RedisConnection, T> command) {
        long startNanos = System.nanoTime();
        boolean failed = true;
        try {
            T answer = call(command);
            failed = false;
            return answer;
        } finally {
            called(startNanos, failed);
        }
    }

    /** So many requests go to Redis in the next call. */
    public void sends(int keys, int requests) {
        observer.sent(keys, requests);
    }

    private void called(long startNanos, boolean failed) {
        observer.called(System.nanoTime() - startNanos, failed);
    }

    /** With the interrupt flag held off, because clients refuse to work on a thread that has it set. */
    private <T extends @Nullable Object> T call(Function<RedisConnection, T> command) {
        boolean interrupted = Thread.interrupted();
        try (RedisConnection connection = connection()) {
            return command.apply(connection);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private RedisConnection connection() {
        try {
            return connections.getConnection();
        } catch (RuntimeException e) {
            throw new NotConnectedException(e);
        }
    }

    /** The connections are the application's and stay open; to be called when nothing is under way. */
    public void close() {
        if (lettuce != null) {
            lettuce.close();
        }
    }

    private static boolean saysNoScript(Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t.getMessage() != null && t.getMessage().contains("NOSCRIPT")) {
                return true;
            }
        }
        return false;
    }
}
