package io.limiter.internal.live;

import io.limiter.internal.live.store.LiveStore;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.resilience.Instances;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Counts the instances of the fleet, so that each knows its share of the limits, and the keys that it owns, when Redis is
 * unavailable. One thread at a time counts.
 */
final class InstanceCount {

    private static final AsyncLog log = AsyncLog.of(InstanceCount.class);

    private final LiveStore store;
    private final Instances instances;
    private final Duration counts;
    private final LogThrottle failures = new LogThrottle();
    // Not the name in reports, because instances may share that. It says for how long it counts (see alive.lua).
    // Null while this instance does not belong to the fleet.
    private volatile @Nullable String id;
    // The id of the last count.
    private @Nullable String counted;
    private long countedMicros;
    private final KnownInstances known = new KnownInstances();
    private volatile int alive = 1;
    private Set<String> names = Set.of();

    /**
     * @param instances receives what was counted
     * @param pollInterval the longest time between two calls of {@link #count}
     */
    InstanceCount(LiveStore store, Instances instances, Duration pollInterval) {
        this.store = store;
        this.instances = instances;
        this.counts = KnownInstances.counts(pollInterval);
    }

    /** This instance counts from the next poll on, and is another one each time, because there may be copies of the process. */
    void join() {
        id = UUID.randomUUID() + ":" + counts.toMillis();
    }

    /** How many are known; 1 before the first count. */
    int alive() {
        return alive;
    }

    /**
     * Counts if it is time and this instance has joined. Redis may fail to count it and still have the live limits.
     *
     * @param nowMicros server time
     * @param seen how many the poll has seen; those that have just started count from then on, and not with the next count
     */
    void count(long nowMicros, int seen) {
        String own = id;
        if (own == null) {
            return;
        }
        if (own.equals(counted)
                && Math.abs(nowMicros - countedMicros) < KnownInstances.EVERY.toNanos() / 1000
                && (!instances.areOwnersWanted() || seen == names.size())) {
            know(known.afterSeeing(seen));
            return;
        }
        try {
            LiveStore.Alive found = store.alive(own, counts, instances.areOwnersWanted());
            know(known.after(found.instances(), found.added()));
            if (instances.areOwnersWanted()) {
                own(own, found);
            }
            counted = own;
            countedMicros = nowMicros;
        } catch (RuntimeException e) {
            log.warn(
                    failures,
                    "The instances of the fleet cannot be counted, so each decides under the last count while Redis is"
                            + " unavailable; without any, under its part of the expected instances.",
                    e);
        }
        if (!own.equals(id)) {
            // It has left in between, and the key may have been removed before this instance was counted.
            tellLeft(own);
        }
    }

    private void know(int howMany) {
        alive = howMany;
        instances.counted(howMany);
    }

    /** As with the count, where Redis did not know this instance (any more), it may not know others before they count again. */
    private void own(String own, LiveStore.Alive found) {
        Set<String> all = new LinkedHashSet<>(found.names());
        if (found.added()) {
            all.addAll(names);
            if (counted != null && !counted.equals(own)) {
                all.remove(counted);
            }
        }
        names = Set.copyOf(all);
        instances.members(own, names);
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
