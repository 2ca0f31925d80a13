package io.limiter.internal.batch;

import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.resilience.Guard;
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
 * other. A set whose keys are in several slots has {@linkplain OwnCalls calls of its own}, and so has a reset; without group commit
 * and with the lock engine, so has everything.
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
    private final Lanes requests = new Lanes();
    // Their own, because they have a script of their own: in one lane, requests and sets in turn would have a call
    // each.
    private final Lanes sets = new Lanes();
    private final OwnCalls ownCalls;
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
        this.ownCalls = new OwnCalls(backend, blockingCalls, guard);
        guard.deadlines().watch(this::endOverdue);
    }

    @Override
    public void decide(Ask ask) {
        if (!guard.begin(ask)) {
            return;
        }
        try {
            Lane lane = lane(ask);
            if (lane == null) {
                ownCalls.add(ask);
            } else {
                lane.add(ask);
            }
        } catch (RuntimeException e) {
            guard.fail(ask, BackendFailures.queuing(ask.key(), e));
        }
    }

    /** Has the deadlines of a lane checked, to which a request was added. */
    private void check(Lane lane) {
        if (!lane.watched.get()) {
            watch(lane);
        }
        guard.deadlines().ensureChecking();
    }

    private void watch(Lane lane) {
        if (!lane.watched.compareAndSet(false, true)) {
            return;
        }
        boolean added = false;
        try {
            added = watched.add(lane);
        } finally {
            if (!added) {
                lane.watched.set(false);
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

    /** Within the decision timeout. The future ends on any thread, so that a caller who waits for it depends on no callback. */
    @Override
    public CompletableFuture<Void> reset(String key) {
        Ask reset = Ask.reset(key);
        reset.markAwaited();
        reset.decideBy(this);
        return reset.thenRun(() -> {});
    }

    /** Fails queued and all later requests; those already sent are still answered. */
    @Override
    public void close() {
        closed = true;
        requests.close();
        sets.close();
        ownCalls.close();
        backend.close();
    }

    private boolean endOverdue(long nowNanos) {
        for (Iterator<Lane> all = watched.iterator(); all.hasNext(); ) {
            Lane lane = all.next();
            if (!lane.endOverdue(nowNanos)) {
                all.remove();
                lane.watched.set(false);
                // Checked after the flag was cleared, while a request is queued first and then checks the flag: so no
                // request is
                // missed.
                if (lane.isPending()) {
                    watch(lane);
                }
            }
        }
        return !watched.isEmpty();
    }

    /** {@code null} if it shares no call. */
    private @Nullable Lane lane(Ask ask) {
        if (ask.isReset() || !settings.sharesCalls()) {
            return null;
        }
        Lanes lanes = ask.size() == 1 ? requests : sets;
        int index = lanes.indexOf(ask.key());
        for (int i = 1; i < ask.size(); i++) {
            if (lanes.indexOf(ask.key(i)) != index) {
                // No call can decide it at one moment.
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
            Settings some = known.length() == 1 ? settings : settings.withMaxCalls(1);
            known.compareAndSet(
                    index, null, new Lane(backend, some, yielding, blockingCalls, guard, GroupCommit.this::check));
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

        /** The same settings, with a call for each request, and as many calls as there are requests. */
        public Settings withOwnCalls() {
            return new Settings(maxCalls, maxQueued, 1, 1, minQueuedForAnother, yield);
        }

        /** Whether requests share calls. */
        public boolean sharesCalls() {
            return maxRequestsPerCall > 1;
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
