package io.limiter.internal.resilience;

import io.limiter.BackendState;
import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Nodes;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.thread.LimiterThread;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breakers of a factory's backend: one for each node, so that an unavailable master of a Cluster takes its
 * own keys only. Without nodes, all keys share one.
 *
 * <p>A node has a breaker from its first failure on.
 */
public final class Breakers implements AutoCloseable {

    // The most nodes that a Cluster can have.
    private static final int MAX_NODES = 1_000;
    private static final String PROBER = "limiter-probe";

    private final Duration probeInterval;
    private final ListenerNotifier notifier;
    private final ThreadFactory probers;
    private final AsyncLog log;
    private final LogThrottle openFailures = new LogThrottle();
    private final Map<String, Breaker> byNode = new ConcurrentHashMap<>();
    private final AtomicReference<BackendState> state =
            new AtomicReference<>(BackendState.of(true, Instant.now(), null));
    private volatile Nodes nodes = Nodes.ONE;
    private volatile Consumer<String> probe = key -> {
        throw BackendFailures.unavailable(key, "no probe is set", null);
    };
    private volatile boolean closed;

    /**
     * @param probeInterval longest pause between probes
     * @param notifier notifies the listeners
     */
    public Breakers(Duration probeInterval, ListenerNotifier notifier) {
        this(probeInterval, notifier, LimiterThread.named(PROBER), AsyncLog.of(Breakers.class));
    }

    public Breakers(Duration probeInterval, ListenerNotifier notifier, ThreadFactory probers, AsyncLog log) {
        this.probeInterval = probeInterval;
        this.notifier = notifier;
        this.probers = probers;
        this.log = log;
    }

    /** Without listeners, log and probes. */
    static Breakers silent() {
        return new Breakers(Duration.ofDays(16), ListenerNotifier.NONE, LimiterThread.named(PROBER), AsyncLog.NONE);
    }

    /**
     * To be called before any request.
     *
     * @param newNodes which have a breaker each
     * @param newProbe calls the backend in the slot of the given key; throws {@link LimiterBackendException} if that
     *     fails
     */
    void probeBy(Nodes newNodes, Consumer<String> newProbe) {
        this.nodes = newNodes;
        this.probe = newProbe;
    }

    Nodes nodes() {
        return nodes;
    }

    void probe(String key) {
        probe.accept(key);
    }

    BackendState state() {
        BackendState now = Objects.requireNonNull(state.get());
        return now.withNodes(now.unavailableNodes(), nodes.nodeCount());
    }

    /**
     * @throws LimiterBackendException if the breaker of the key's node is open, or the factory was closed
     */
    void check(String key) {
        if (closed) {
            throw BackendFailures.closed(key);
        }
        if (!Objects.requireNonNull(state.get()).up()) {
            Breaker breaker = byNode.get(nodeOf(key));
            if (breaker != null) {
                breaker.check(key);
            }
        }
    }

    /**
     * @param countedAsSuccess whether the answer came in time
     */
    void answered(String key, long nowNanos, boolean countedAsSuccess) {
        if (byNode.isEmpty()) {
            return;
        }
        Breaker breaker = byNode.get(nodeOf(key));
        if (breaker != null) {
            breaker.answered(nowNanos, countedAsSuccess);
        }
    }

    /**
     * When the node of a key has last answered.
     *
     * @param otherwise when any node has, if nothing is known of this one
     */
    long answeredNanos(String key, long otherwise) {
        Breaker breaker = byNode.isEmpty() ? null : byNode.get(nodeOf(key));
        return breaker == null ? otherwise : breaker.answeredNanos();
    }

    String nodeOf(String key) {
        return nodes.nodeOf(key);
    }

    /**
     * @param answeredNanos when any node has last answered
     */
    void failed(LimiterBackendException failure, long answeredNanos) {
        if (closed) {
            return;
        }
        try {
            String node = nodeOf(failure.key());
            if (byNode.size() >= MAX_NODES) {
                // Nodes come and go under new names.
                byNode.values().removeIf(known -> !known.isOpen());
            }
            Breaker breaker = byNode.computeIfAbsent(
                    node, name -> new Breaker(name, this, probeInterval, notifier, probers, log, answeredNanos));
            if (closed) {
                breaker.close();
                return;
            }
            breaker.failed(failure);
        } catch (RuntimeException | Error e) {
            // For example OutOfMemoryError for the probe's thread. The next failure tries again.
            log.error(
                    openFailures,
                    "The circuit breaker could not be opened, so callers still wait for the backend. The next failure tries again.",
                    e);
        }
    }

    /** Updates the state after a failure, or after a breaker was opened or closed. */
    void changed(@Nullable LimiterBackendException failure) {
        state.updateAndGet(before -> {
            List<String> unavailable = byNode.values().stream()
                    .filter(Breaker::isOpen)
                    .map(Breaker::node)
                    .sorted()
                    .toList();
            boolean up = unavailable.isEmpty();
            return BackendState.of(
                            up,
                            up == before.up() ? before.since() : Instant.now(),
                            failure == null ? before.failure() : failure)
                    .withNodes(unavailable, 1);
        });
    }

    /** Fails all later requests and stops probing. */
    @Override
    public void close() {
        closed = true;
        byNode.values().forEach(Breaker::close);
    }
}
