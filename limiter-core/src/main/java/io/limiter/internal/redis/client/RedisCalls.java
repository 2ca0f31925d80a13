package io.limiter.internal.redis.client;

import io.limiter.BackendState;
import io.limiter.internal.backend.Nodes;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.resilience.Deadlines;
import io.limiter.internal.statistics.EngineObserver;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.Lifecycle;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.util.ClassUtils;

/**
 * Calls Redis; nothing else here does. Scripts run by digest, and with the whole text only if Redis does not know it (it was restarted,
 * or its scripts were flushed); that error says that nothing was executed, so the second call cannot count twice.
 *
 * <p>Connections come from the factory rather than through a template, so that a decision never becomes part of a
 * transaction that the calling thread has open.
 *
 * <p>A thread that was interrupted before can still call, as it can with a limiter in process, and stays
 * interrupted. One that is interrupted while a blocking client waits for the answer gets the client's exception.
 */
public abstract class RedisCalls implements Nodes {

    private static final boolean HAS_LETTUCE =
            ClassUtils.isPresent("io.lettuce.core.RedisClient", RedisCalls.class.getClassLoader());

    static final boolean HAS_JEDIS =
            ClassUtils.isPresent("redis.clients.jedis.Jedis", RedisCalls.class.getClassLoader());

    private static final AsyncLog log = AsyncLog.of(RedisCalls.class);

    /** How many calls batches make at the same time. */
    private static final int CALLS_AT_ONCE = 2;

    // These hash tags, from 0, are in all slots.
    private static final int ENOUGH_TAGS = 1 << 18;

    final RedisConnectionFactory connections;
    private final EngineObserver observer;
    private final @Nullable FirstContact first;
    private volatile boolean startsStopped;

    /** @param deadlines end the longer timeout of the first decisions if no address answers; {@code null} for none */
    RedisCalls(RedisConnectionFactory connections, EngineObserver observer, @Nullable Deadlines deadlines) {
        this.connections = connections;
        this.observer = observer;
        this.first = deadlines == null ? null : new FirstContact(this::nodes, deadlines);
    }

    /**
     * Over Lettuce's own asynchronous commands where that is the client, or else over Spring's connections, which block.
     *
     * @param deadlines end calls that take too long, where no thread waits
     * @param observer observes the calls that decide
     */
    public static RedisCalls of(RedisConnectionFactory connections, Deadlines deadlines, EngineObserver observer) {
        RedisCalls lettuce = HAS_LETTUCE ? LettuceCalls.ifLettuce(connections, deadlines, observer) : null;
        if (lettuce != null) {
            return lettuce;
        }
        warnOf(connections);
        return new SpringCalls(connections, observer, deadlines);
    }

    private static void warnOf(RedisConnectionFactory connections) {
        if (!HAS_JEDIS || !JedisConnections.areOf(connections)) {
            log.warn(
                    "The limiters' connections are those of a {}, and neither Lettuce's nor Jedis's: each call blocks a thread,"
                            + " and a client that sends a call again after its reply was lost takes permits twice (of Redisson, set"
                            + " retryAttempts to 0). Limiters work best with a LettuceConnectionFactory; if there are several"
                            + " connection factories, annotate theirs with @LimiterRedisConnectionFactory.",
                    connections.getClass().getName());
            return;
        }
        int most = JedisConnections.poolSize(connections);
        if (most <= JedisConnections.DEFAULT_POOL_SIZE) {
            log.warn(
                    "The pool of Jedis has {} connections at most, which limiters and application share: while {} threads hold one"
                            + " each, for example within MULTI, Redis decides nothing, and failure policies do. Raise"
                            + " spring.data.redis.jedis.pool.max-active above the number of such threads by {} or more, or annotate"
                            + " a connection factory of the limiters' own with @LimiterRedisConnectionFactory.",
                    most,
                    most,
                    CALLS_AT_ONCE);
        }
    }

    /** The application's. */
    public final RedisConnectionFactory connections() {
        return connections;
    }

    /** Observes calls that decide; the callers of this class report them to it. */
    public final EngineObserver observer() {
        return observer;
    }

    /**
     * Whether it is a Redis Cluster, where a call sees the keys of one slot only; {@code null} if that is not known yet, because the
     * connection factory has failed to say so. Throws nothing: what is wrong, a call will report.
     */
    public abstract @Nullable Boolean cluster();

    final boolean isCluster() {
        return Boolean.TRUE.equals(cluster());
    }

    /** How many hash slots keys are in; a call can have keys of one only. */
    public final int slots() {
        return isCluster() ? ClusterSlotHashUtil.SLOT_COUNT : 1;
    }

    /** The hash slot of a key, from 0. */
    public final int slotOf(String key) {
        return isCluster() ? slotInCluster(key) : 0;
    }

    /** The hash slot that a key has in any Cluster. */
    public static int slotInCluster(String key) {
        return ClusterSlotHashUtil.calculateSlot(key);
    }

    /** Whether the client may send a call again after Redis has executed it, because the reply was lost. */
    public boolean repeats() {
        return isCluster();
    }

    /** Whether {@link #send} would block now, because the client can do no other or is not connected yet. */
    public abstract boolean blocks();

    /** Connects where {@link #send} would have to; blocks until it has. */
    public final void connect() {
        if (first != null) {
            first.ensureMade();
        }
        connectNow();
    }

    abstract void connectNow();

    /** Where the client connects; empty if that is not known. */
    abstract Collection<? extends RedisNode> nodes();

    /**
     * What nodes a factory has of these.
     *
     * @param cluster {@code null} if it is none, as the others
     */
    static Collection<? extends RedisNode> nodes(
            @Nullable RedisClusterConfiguration cluster,
            @Nullable RedisSentinelConfiguration sentinel,
            @Nullable RedisNode only) {
        if (cluster != null) {
            return cluster.getClusterNodes();
        }
        if (sentinel != null) {
            return sentinel.getSentinels();
        }
        return only == null ? List.of() : List.of(only);
    }

    /**
     * Runs a script that returns a list and decides, without waiting for it if the client can do that. Calls that are sent one
     * after the other run in that order, but for one that Lettuce's I/O thread sends while the call of another thread
     * still waits for that thread: it overtakes the other.
     *
     * @param ended called once, with the reply or with the failure; with a {@link NotSentException} if the client failed
     *     before it sent anything
     */
    public abstract void send(
            LuaScript script,
            byte[][] keys,
            byte[][] arguments,
            BiConsumer<@Nullable List<Object>, @Nullable Throwable> ended);

    /**
     * Runs a script that returns a list, for a thread that waits for it; blocks where {@link #send} does.
     *
     * @param timeout where the client does not limit the time itself
     * @return fails as {@link #send} does; ended by any thread, so no caller's code may depend on it
     */
    public abstract CompletableFuture<List<Object>> start(
            LuaScript script, Duration timeout, byte[][] keys, byte[]... arguments);

    /** The given key if the node has it, or else another one that it has; {@code null} if it has none. */
    @Override
    public final @Nullable String keyOn(String node, String key) {
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

    /** {@code DEL key}. Returns how many keys were deleted. */
    public final @Nullable Long delete(byte[] key) {
        return onConnection(connection -> connection.keyCommands().del(key));
    }

    final <T extends @Nullable Object> T onConnection(Function<RedisConnection, T> command) {
        return uninterrupted(() -> {
            try (RedisConnection connection = connected(() -> started().getConnection())) {
                return onConnection(connection, command);
            }
        });
    }

    private <T extends @Nullable Object> T onConnection(
            RedisConnection connection, Function<RedisConnection, T> command) {
        boolean leave = leaves();
        try {
            return command.apply(connection);
        } catch (RuntimeException e) {
            leave |= RedisErrors.isReadOnly(e);
            throw e;
        } finally {
            if (leave && HAS_JEDIS) {
                JedisConnections.discard(connection);
            }
        }
    }

    /** Whether a pool must not use the next connection again. */
    boolean leaves() {
        return false;
    }

    /** With the interrupt flag held off, because clients refuse to work on a thread that has it set. */
    static <T extends @Nullable Object> T uninterrupted(Supplier<T> work) {
        boolean interrupted = Thread.interrupted();
        try {
            return work.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** @throws NotConnectedException if it fails */
    static <T> T connected(Supplier<T> connect) {
        try {
            return connect.get();
        } catch (RuntimeException e) {
            throw new NotConnectedException(e);
        }
    }

    /**
     * Starts the connection factory again whenever it was stopped. An application that ends stops it before its beans are
     * destroyed, and these may still call limiters and release leases. The factory is destroyed later, as its bean.
     */
    public final void startStoppedFactory() {
        startsStopped = true;
    }

    /** The connection factory, started again if it may be. */
    final RedisConnectionFactory started() {
        if (startsStopped && connections instanceof Lifecycle factory && !factory.isRunning()) {
            synchronized (connections) {
                if (!factory.isRunning()) {
                    factory.start();
                }
            }
        }
        return connections;
    }

    /** The connections are the application's and stay open; to be called when nothing is under way. */
    public void close() {}
}
