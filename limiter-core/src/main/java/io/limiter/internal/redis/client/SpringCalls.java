package io.limiter.internal.redis.client;

import com.google.common.collect.ObjectArrays;
import io.limiter.BackendState;
import io.limiter.internal.resilience.Deadlines;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.time.BlockingCalls;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;

/** Calls over Spring's connections, which block. */
public final class SpringCalls extends RedisCalls {

    private final ClusterSlots slots;
    private volatile @Nullable Boolean cluster;
    // How many connections more.
    private final AtomicInteger leaving = new AtomicInteger();

    /** Calls that are not observed. */
    public SpringCalls(RedisConnectionFactory connections) {
        this(connections, EngineObserver.NONE, null);
    }

    SpringCalls(RedisConnectionFactory connections, EngineObserver observer, @Nullable Deadlines deadlines) {
        super(connections, observer, deadlines);
        this.slots = new ClusterSlots(connections);
    }

    @Override
    public @Nullable Boolean cluster() {
        Boolean known = cluster;
        if (known == null) {
            known = hasClusterConnection();
            cluster = known;
        }
        return known;
    }

    /** From the factory and not from a connection, which would have to be made: callers of this must not block. */
    private @Nullable Boolean hasClusterConnection() {
        try (RedisClusterConnection connection = connections.getClusterConnection()) {
            return connection != null;
        } catch (InvalidDataAccessApiUsageException
                | InvalidDataAccessResourceUsageException
                | UnsupportedOperationException e) {
            // As Lettuce's and Jedis's factories, Redisson's, and some others say that it is none.
            return false;
        } catch (RuntimeException e) {
            // For example stopped. The next caller asks it again.
            return null;
        }
    }

    /** Jedis does so in a Cluster, and other clients, such as Redisson, everywhere. */
    @Override
    public boolean repeats() {
        return super.repeats() || !HAS_JEDIS || !JedisConnections.areOf(connections);
    }

    @Override
    public boolean blocks() {
        return true;
    }

    @Override
    Collection<? extends RedisNode> nodes() {
        return HAS_JEDIS && JedisConnections.areOf(connections) ? JedisConnections.nodes(connections) : List.of();
    }

    @Override
    void connectNow() {
        started();
        if (isCluster()) {
            slots.ensureLoaded();
        }
    }

    @Override
    public void send(
            LuaScript script,
            byte[][] keys,
            byte[][] arguments,
            BiConsumer<@Nullable List<Object>, @Nullable Throwable> ended) {
        List<Object> reply;
        try {
            reply = run(script, keys, arguments);
        } catch (RuntimeException e) {
            ended.accept(null, e);
            return;
        }
        ended.accept(reply, null);
    }

    @Override
    public CompletableFuture<List<Object>> start(
            LuaScript script, Duration timeout, byte[][] keys, byte[]... arguments) {
        try {
            return CompletableFuture.completedFuture(run(script, keys, arguments));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private List<Object> run(LuaScript script, byte[][] keys, byte[]... arguments) {
        byte[][] all = ObjectArrays.concat(keys, arguments, byte[].class);
        List<Object> reply = onConnection(connection -> {
            RedisScriptingCommands scripts = connection.scriptingCommands();
            try {
                return scripts.evalSha(script.sha1(), ReturnType.MULTI, keys.length, all);
            } catch (RuntimeException e) {
                if (!saysNoScript(e)) {
                    throw e;
                }
                return scripts.eval(script.source(), ReturnType.MULTI, keys.length, all);
            }
        });
        if (reply == null) {
            throw new IllegalStateException("Redis returned nothing for script " + script.sha1());
        }
        return reply;
    }

    private static boolean saysNoScript(Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t.getMessage() != null && t.getMessage().contains("NOSCRIPT")) {
                return true;
            }
        }
        return false;
    }

    /** The node that has a key, in a Cluster as {@code host:port}. */
    @Override
    public String nodeOf(String key) {
        String master = isCluster() ? slots.masterOf(slotOf(key)) : null;
        return master == null ? BackendState.ONLY_NODE : master;
    }

    /** Calls the node itself: the client may have followed the key to a node that it names up to 100 ms later. */
    @Override
    public boolean isOn(String node, String key) {
        reconnect(key);
        if (!nodeOf(key).equals(node)) {
            return false;
        }
        if (isCluster()) {
            slots.ping(node, key);
        }
        return true;
    }

    @Override
    public int nodeCount() {
        return slots.count();
    }

    /**
     * Clients do that by themselves, but for connections in Jedis's pool that Redis still answers: they are left after their next
     * call, because a demoted primary keeps its connections open. The masters are looked up again.
     */
    @Override
    public boolean reconnect(String key) {
        if (isCluster()) {
            slots.load();
        }
        leaving.set(BlockingCalls.MAX_THREADS);
        return false;
    }

    @Override
    boolean leaves() {
        return leaving.get() > 0 && leaving.getAndDecrement() > 0;
    }
}
