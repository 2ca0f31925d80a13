package io.limiter.internal.batch;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.PendingDecision;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.UnbatchedEngine;
import java.time.Duration;
import java.util.Iterator;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Decides many requests in one call, as databases commit many transactions in one write.
 *
 * <pre>
 *   caller  caller  caller  caller     each waits for its own decision and nothing else
 *       \      \      /      /
 *        `------ queue -----´          requests that arrive while a call is in flight are queued, in order
 *                  |
 *     .------------------------.
 *     | key a: 3 requests      |       the next call sends all of them
 *     | key b: 1 request       |
 *     `------------------------´
 *                  |
 *               Redis                  1 or 2 calls are in flight, over a network up to 16
 * </pre>
 *
 * There is no timer and no artificial delay: if no call is in flight, a request is sent at once, by the caller's
 * thread. The higher the load, the more requests queue up during one round trip and share the next one. Each keeps its
 * own permits and timeout and gets its own decision; those for one key are decided in the order of their arrival,
 * unless a call that the client's I/O thread starts overtakes one of a caller's thread.
 *
 * <p>If most of a round trip is spent in the network, requests are sent beside the calls in flight, as long as those are few
 * for its length ({@link RoundTrips}). If it is so long that requests would time out while they wait for the reply to another call, they are
 * sent in time in a call of their own.
 *
 * <p>In a Redis Cluster, where a call cannot span slots, each slot has a queue of its own. Keys are spread over few of the
 * slots, so requests for different keys share calls there too.
 *
 * <p>Limit sets share calls as requests do, in queues of their own: the next call decides those that are queued, one after the
 * other. A set whose keys are in several slots has calls of its own.
 *
 * <p>Replies arrive on a thread of the client, which starts the next call before it wakes the callers of the last, so
 * that Redis does not wait for them. Blocking calls (Jedis, or before there is a connection) are made on the threads of
 * {@code blockingCalls}, because a caller must not be blocked beyond its decision timeout.
 */
public final class GroupCommit implements Engine {

    private final Backend backend;
    private final Settings settings;
    private final Yielding yielding;
    private final Executor blockingCalls;
    private final Guard guard;
    private final Engine unbatched;
    private final Lanes ofRequests = new Lanes();
    // Their own, because they have a script of their own: in one lane, requests and sets in turn would have a call
    // each.
    private final Lanes ofSets = new Lanes();
    // The lanes with pending requests, out of up to 16,384. A list, because the table of a set would keep the size that
    // it needed for the most lanes, and each check of deadlines would visit all of it.
    private final Queue<Lane> watched = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    /**
     * @param blockingCalls runs calls that block
     * @param guard applies decision timeout, retries and circuit breaker
     */
    public GroupCommit(Backend backend, Settings settings, Executor blockingCalls, Guard guard) {
        this(backend, settings, new Yielding(settings.yield()), blockingCalls, guard);
    }

    GroupCommit(Backend backend, Settings settings, Yielding yielding, Executor blockingCalls, Guard guard) {
        this.backend = backend;
        this.yielding = yielding;
        this.settings = settings;
        this.blockingCalls = blockingCalls;
        this.guard = guard;
        this.unbatched = new UnbatchedEngine(backend, blockingCalls, guard);
        guard.deadlines().watch(this::endOverdue);
    }

    @Override
    public void decide(PendingDecision<?> pending) {
        try {
            guard.begin(pending);
        } catch (LimiterBackendException e) {
            pending.fail(e, guard.outside());
            return;
        }
        try {
            Lane lane = lane(pending);
            if (lane == null) {
                unbatched.decide(pending);
                return;
            }
            lane.add(pending);
            if (lane.watch()) {
                watch(lane);
            }
            guard.deadlines().ensureChecking();
        } catch (RuntimeException e) {
            guard.fail(pending, BackendFailures.queuing(pending.key(), e));
        }
    }

    private void watch(Lane lane) {
        boolean added = false;
        try {
            added = watched.add(lane);
        } finally {
            if (!added) {
                lane.unwatch();
            }
        }
    }

    /** The number of queued requests. */
    public int queued() {
        int queued = 0;
        for (Lane lane : watched) {
            queued += lane.queued();
        }
        return queued;
    }

    /** The number of lanes whose deadlines are checked. */
    public int watchedLanes() {
        return watched.size();
    }

    @Override
    public CompletableFuture<Void> reset(String key) {
        return unbatched.reset(key);
    }

    /** Fails queued and all later requests; those already sent are still answered. */
    @Override
    public void close() {
        closed = true;
        ofRequests.close();
        ofSets.close();
        backend.close();
    }

    private boolean endOverdue(long nowNanos) {
        for (Iterator<Lane> all = watched.iterator(); all.hasNext(); ) {
            Lane lane = all.next();
            if (!lane.endOverdue(nowNanos)) {
                all.remove();
                lane.unwatch();
                // Checked after unwatch(), while decide() queues first and then checks the flag: so no request is
                // missed.
                if (lane.isPending() && lane.watch()) {
                    watch(lane);
                }
            }
        }
        return !watched.isEmpty();
    }

    /** The lane of a request or set; {@code null} if it is a set of several lanes, which no call can decide at one moment. */
    private @Nullable Lane lane(PendingDecision<?> pending) {
        Lanes lanes = pending.size() == 1 ? ofRequests : ofSets;
        int index = lanes.indexOf(pending.key());
        for (int i = 1; i < pending.size(); i++) {
            if (lanes.indexOf(pending.key(i)) != index) {
                return null;
            }
        }
        return lanes.at(index);
    }

    /** The lanes of all slots, made when they are needed. */
    private final class Lanes {

        private final AtomicReference<@Nullable AtomicReferenceArray<Lane>> all = new AtomicReference<>();

        private AtomicReferenceArray<Lane> all() {
            AtomicReferenceArray<Lane> known = all.get();
            if (known == null) {
                all.compareAndSet(null, new AtomicReferenceArray<>(backend.lanes()));
                known = Objects.requireNonNull(all.get());
            }
            return known;
        }

        int indexOf(String key) {
            return all().length() == 1 ? 0 : backend.laneOf(key);
        }

        Lane at(int index) {
            AtomicReferenceArray<Lane> known = all();
            Lane lane = known.get(index);
            return lane == null ? add(known, index) : lane;
        }

        private Lane add(AtomicReferenceArray<Lane> known, int index) {
            // With many lanes, calls overlap anyway.
            Settings ofLane = known.length() == 1 ? settings : settings.withMaxCalls(1);
            known.compareAndSet(index, null, new Lane(backend, ofLane, yielding, blockingCalls, guard));
            Lane lane = Objects.requireNonNull(known.get(index));
            if (closed) {
                lane.close();
            }
            return lane;
        }

        void close() {
            AtomicReferenceArray<Lane> known = all.get();
            for (int i = 0; known != null && i < known.length(); i++) {
                Lane lane = known.get(i);
                if (lane != null) {
                    lane.close();
                }
            }
        }
    }

    /**
     * @param maxCalls maximum number of calls in flight if all keys share one queue; over a network, or for a deadline, there are more
     * @param maxQueued maximum number of queued requests in each lane; further requests fail at once
     * @param maxKeysPerCall of sets, the number of their parts; limited so that single-threaded Redis stays responsive
     * @param maxRequestsPerCall for the same reason
     * @param minQueuedForAnother how many requests must be queued, for each call in flight, before another call
     *     starts; an eighth of it, or half the batch size, if nearly every request has a different key
     * @param yield for how much processor time a waiting thread yields before it parks; see {@code
     *     RedisRateLimiterFactory.Builder.yieldWhileWaiting}
     */
    public record Settings(
            int maxCalls,
            int maxQueued,
            int maxKeysPerCall,
            int maxRequestsPerCall,
            int minQueuedForAnother,
            Duration yield) {

        public static final Settings DEFAULT = new Settings(2, 65_536, 1024, 4096, 32, Duration.ofNanos(5_000));

        public Settings {
            if (maxQueued < 1) {
                throw new IllegalArgumentException("maxQueued must be at least 1, was " + maxQueued);
            }
            if (yield.isNegative()) {
                throw new IllegalArgumentException("yield must not be negative, was " + yield);
            }
        }

        Settings withMaxCalls(int newMaxCalls) {
            return new Settings(newMaxCalls, maxQueued, maxKeysPerCall, maxRequestsPerCall, minQueuedForAnother, yield);
        }

        public Settings withMaxQueued(int newMaxQueued) {
            return new Settings(maxCalls, newMaxQueued, maxKeysPerCall, maxRequestsPerCall, minQueuedForAnother, yield);
        }

        public Settings withYield(Duration newYield) {
            return new Settings(maxCalls, maxQueued, maxKeysPerCall, maxRequestsPerCall, minQueuedForAnother, newYield);
        }
    }
}
