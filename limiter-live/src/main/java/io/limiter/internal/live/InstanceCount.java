package io.limiter.internal.live;

import io.limiter.internal.live.store.LiveStore;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import java.time.Duration;
import java.util.UUID;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the instances of the fleet, so that each knows its share of the limits when Redis is unavailable. One thread at a time
 * counts.
 */
final class InstanceCount {

    private static final AsyncLog log = AsyncLog.of(InstanceCount.class);

    private final LiveStore store;
    private final IntConsumer alive;
    private final Duration counts;
    private final LogThrottle failures = new LogThrottle();
    // Of its own, because instances may share their name in reports. Null while this is none of the fleet.
    private volatile @Nullable String id;
    // The id of the last count.
    private @Nullable String counted;
    private long countedMicros;
    private final KnownInstances known = new KnownInstances();

    /**
     * @param alive receives the number of instances
     * @param pollInterval the longest time between two calls of {@link #count}
     */
    InstanceCount(LiveStore store, IntConsumer alive, Duration pollInterval) {
        this.store = store;
        this.alive = alive;
        this.counts = KnownInstances.counts(pollInterval);
    }

    /** This instance counts from the next poll on, and is another one each time, because there may be copies of the process. */
    void join() {
        id = UUID.randomUUID().toString();
    }

    /**
     * Counts if it is time and this instance has joined. Redis may fail to count it and still have the live limits.
     *
     * @param nowMicros server time
     */
    void count(long nowMicros) {
        String own = id;
        if (own == null
                || own.equals(counted) && Math.abs(nowMicros - countedMicros) < KnownInstances.EVERY.toNanos() / 1000) {
            return;
        }
        try {
            LiveStore.Alive found = store.alive(own, counts);
            alive.accept(known.after(found.instances(), found.added()));
            counted = own;
            countedMicros = nowMicros;
        } catch (RuntimeException e) {
            log.warn(
                    failures,
                    "The instances of the fleet cannot be counted, so each decides under the last count while Redis is"
                            + " unavailable; without any, under the whole limit.",
                    e);
        }
        if (!own.equals(id)) {
            // It has left meanwhile, and the key may have been removed before this instance was counted.
            tellLeft(own);
        }
    }

    /**
     * This instance does not count any more, also not by a poll that is under way. Called by any thread.
     *
     * @param reachable whether Redis can be called
     */
    void leave(boolean reachable) {
        String left = id;
        id = null;
        if (left != null && reachable) {
            tellLeft(left);
        }
    }

    private void tellLeft(String left) {
        try {
            store.leave(left);
        } catch (RuntimeException e) {
            log.debug("This instance counts until its time is over.", e);
        }
    }
}
