package io.limiter.internal.redis.client;

import io.limiter.internal.resilience.Deadlines;
import io.limiter.internal.thread.LimiterThread;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * Opens connections for probes, which wait for them no longer than a decision timeout, on threads of its own: the client
 * waits for a node that does not answer for up to a minute.
 *
 * <p>Connecting can take longer than a probe waits; then the next probe takes the connection. One that no probe takes is
 * closed: there was an answer over the former connection.
 */
final class ConnectionOpener {

    // Longer than the longest pause between two probes, unless that is set to more.
    private static final Duration HAND_OVER = Duration.ofSeconds(30);

    private final Supplier<NativeConnection> connect;
    private final Deadlines deadlines;
    private final Map<String, SynchronousQueue<Opened>> opening = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** @param connect opens a connection; blocks */
    ConnectionOpener(Supplier<NativeConnection> connect, Deadlines deadlines) {
        this.connect = connect;
        this.deadlines = deadlines;
    }

    /**
     * A new connection, or one that was opened too late for the previous call for this node. The caller has to close it.
     *
     * @throws RedisConnectionFailureException if there is none within a decision timeout
     */
    NativeConnection open(String node) {
        try {
            Opened opened = opening.computeIfAbsent(node, this::start)
                    .poll(deadlines.decisionTimeoutNanos(), TimeUnit.NANOSECONDS);
            if (opened == null || opened.connection == null) {
                throw new RedisConnectionFailureException(
                        "no new connection" + (opened == null ? " yet" : ""), opened == null ? null : opened.failure);
            }
            return opened.connection;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisConnectionFailureException("interrupted", e);
        }
    }

    /** Connections that no probe has taken are closed. */
    void close() {
        closed = true;
    }

    private SynchronousQueue<Opened> start(String node) {
        SynchronousQueue<Opened> handOver = new SynchronousQueue<>();
        LimiterThread.of("limiter-connect", () -> connect(node, handOver)).start();
        return handOver;
    }

    private void connect(String node, SynchronousQueue<Opened> handOver) {
        NativeConnection connection = null;
        Throwable failure = null;
        try {
            connection = connect.get();
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

    private record Opened(
            @Nullable NativeConnection connection, @Nullable Throwable failure) {}
}
