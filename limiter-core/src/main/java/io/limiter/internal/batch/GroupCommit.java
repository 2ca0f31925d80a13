package io.limiter.internal.batch;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.GuardedEngine;
import io.limiter.internal.resilience.PendingRequest;
import io.limiter.spi.Answer;
import io.limiter.spi.BatchEngine;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import io.limiter.spi.SetPart;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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
 *        `------ queue -----´          requests that arrive while a call is under way wait here, in their order
 *                  |
 *     .------------------------.
 *     | key a: 3 requests      |       the next call takes all of them along
 *     | key b: 1 request       |
 *     `------------------------´
 *                  |
 *               Redis                  1 or 2 calls are under way at a time
 * </pre>
 *
 * There is no timer, and nothing is held up in the hope of company: a request that finds no call under way is sent at
 * once, by the thread that brought it. The busier the limiter, the longer the queue gets during one round trip, and the
 * more requests share the next one. Each keeps its own permits and timeout and gets its own decision; those for one key
 * are decided in the order in which they came.
 *
 * <p>In a Redis Cluster, where a call cannot span slots, each slot has a queue of its own: requests for one key still
 * share calls, and others go out as if nothing stood between.
 *
 * <p>The answer comes on a thread of the client, which starts the next call before it wakes the callers of the last, so
 * that Redis need not wait for them. Where a call blocks its thread (Jedis, or a connection that is yet to be made), one
 * of {@code blockingCalls} makes it, because a caller waits for its budget at most.
 */
public final class GroupCommit implements Engine {

    private final BatchEngine engine;
    private final Settings settings;
    private final Executor blockingCalls;
    private final Guard guard;
    private final Engine beside;
    private final AtomicReference<@Nullable AtomicReferenceArray<Lane>> lanes = new AtomicReference<>();
    // Those in which anything is pending, of up to 16,384.
    private final Set<Lane> watched = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param blockingCalls runs what would block a thread that must not be
     * @param guard bounds the time that each decision takes
     */
    public GroupCommit(BatchEngine engine, Settings settings, Executor blockingCalls, Guard guard) {
        this.engine = engine;
        this.settings = settings;
        this.blockingCalls = blockingCalls;
        this.guard = guard;
        this.beside = new GuardedEngine(engine, blockingCalls, guard);
        guard.deadlines().watch(this::endOverdue);
    }

    /** In one call, beside the queue: a batch is what the queue is there to make. */
    @Override
    public List<Answer> decide(List<KeyRequests<?>> batch) {
        return beside.decide(batch);
    }

    @Override
    public Decision decide(String key, Limit<?> limit, Request request) {
        PendingRequest pending = pending(key, limit, request);
        add(pending);
        return pending.await(settings.yield().toNanos());
    }

    @Override
    public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
        PendingRequest pending = pending(key, limit, request);
        try {
            add(pending);
        } catch (LimiterBackendException e) {
            pending.fail(e, guard);
        }
        return pending;
    }

    private PendingRequest pending(String key, Limit<?> limit, Request request) {
        return new PendingRequest(key, limit, request, guard.deadlineNanos());
    }

    private void add(PendingRequest pending) {
        guard.check(pending.key());
        Lane lane = lane(pending.key());
        lane.add(pending);
        watch(lane);
        guard.deadlines().look();
    }

    private void watch(Lane lane) {
        if (lane.watch()) {
            boolean added = false;
            try {
                added = watched.add(lane);
            } finally {
                if (!added) {
                    lane.unwatch();
                }
            }
        }
    }

    /** In one call, beside the queue: its keys have to be decided together, wherever the others wait. */
    @Override
    public List<@Nullable Decision> decideTogether(List<SetPart<?>> parts) {
        return beside.decideTogether(parts);
    }

    /** As {@link #decideTogether}. */
    @Override
    public CompletableFuture<List<@Nullable Decision>> decideTogetherAsync(List<SetPart<?>> parts) {
        return beside.decideTogetherAsync(parts);
    }

    /** How many requests wait to be sent. */
    public int queued() {
        int queued = 0;
        for (Lane lane : watched) {
            queued += lane.queued();
        }
        return queued;
    }

    /** How many queues the watch over deadlines visits. */
    public int watchedLanes() {
        return watched.size();
    }

    @Override
    public void reset(String key) {
        beside.reset(key);
    }

    /** Fails what has not been sent yet and whatever comes later; what was sent is still answered. */
    @Override
    public void close() {
        closed = true;
        AtomicReferenceArray<Lane> all = lanes.get();
        for (int i = 0; all != null && i < all.length(); i++) {
            Lane lane = all.get(i);
            if (lane != null) {
                lane.close();
            }
        }
        engine.close();
    }

    private boolean endOverdue(long nowNanos) {
        for (Lane lane : watched) {
            if (!lane.endOverdue(nowNanos)) {
                watched.remove(lane);
                lane.unwatch();
                // Read after that was written: whoever adds a request does it the other way round.
                if (lane.isPending()) {
                    watch(lane);
                }
            }
        }
        return !watched.isEmpty();
    }

    private Lane lane(String key) {
        AtomicReferenceArray<Lane> all = lanes.get();
        if (all == null) {
            lanes.compareAndSet(null, new AtomicReferenceArray<>(countLanes(key)));
            all = Objects.requireNonNull(lanes.get());
        }
        int number = all.length() == 1 ? 0 : engine.laneOf(key);
        Lane lane = all.get(number);
        return lane == null ? addLane(all, number) : lane;
    }

    private int countLanes(String key) {
        try {
            return engine.lanes();
        } catch (RuntimeException e) {
            throw new LimiterBackendException(key, "the backend does not answer: " + e.getMessage(), e);
        }
    }

    private Lane addLane(AtomicReferenceArray<Lane> all, int number) {
        // Calls of many lanes overlap by themselves.
        int maxCalls = all.length() == 1 ? settings.maxCalls() : 1;
        all.compareAndSet(number, null, new Lane(engine, settings, maxCalls, blockingCalls, guard));
        Lane lane = Objects.requireNonNull(all.get(number));
        if (closed) {
            lane.close();
        }
        return lane;
    }

    /**
     * @param maxCalls how many calls are under way at most where all keys share a queue
     * @param maxQueued how many requests wait to be sent at most, in each queue; a further one fails at once
     * @param maxKeysPerCall so that Redis, which does one thing at a time, stays responsive for others
     * @param maxRequestsPerCall for the same reason
     * @param minQueuedForAnother how many must wait for each call under way before one more starts; an eighth of it, or
     *     half a call, where nearly each request is for a key of its own
     * @param yield how long a waiting thread first yields the processor before it parks; see
     *     {@code RedisRateLimiterFactory.Builder.yieldWhileWaiting}
     */
    public record Settings(
            int maxCalls,
            int maxQueued,
            int maxKeysPerCall,
            int maxRequestsPerCall,
            int minQueuedForAnother,
            Duration yield) {

        public static final Settings DEFAULT = new Settings(2, 65_536, 1024, 4096, 32, Duration.ZERO);

        public Settings {
            if (maxQueued < 1) {
                throw new IllegalArgumentException("maxQueued must be at least 1, was " + maxQueued);
            }
            if (yield.isNegative()) {
                throw new IllegalArgumentException("yield must not be negative, was " + yield);
            }
        }

        public Settings withMaxQueued(int newMaxQueued) {
            return new Settings(maxCalls, newMaxQueued, maxKeysPerCall, maxRequestsPerCall, minQueuedForAnother, yield);
        }

        public Settings withYield(Duration newYield) {
            return new Settings(maxCalls, maxQueued, maxKeysPerCall, maxRequestsPerCall, minQueuedForAnother, newYield);
        }
    }
}
