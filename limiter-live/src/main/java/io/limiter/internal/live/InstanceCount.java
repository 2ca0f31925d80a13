package io.limiter.internal.live;

import io.limiter.internal.live.store.LiveStore;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import java.time.Duration;
import java.util.UUID;
import java.util.function.IntConsumer;

/**
 * Counts the instances of the fleet, so that each knows its share of the limits when Redis is unavailable. One thread at a time
 * counts.
 */
final class InstanceCount {

    private static final AsyncLog log = AsyncLog.of(InstanceCount.class);

    static final Duration EVERY = Duration.ofSeconds(5);

    /** An instance counts until it has missed as many counts. */
    private static final int MISSED = 3;

    private final LiveStore store;
    private final IntConsumer alive;
    private final Duration counts;
    private final long gapMicros;
    private final LogThrottle failures = new LogThrottle();
    // Of its own, because instances may share their name in reports.
    private volatile String id = newId();
    private long countedMicros;
    private int last;
    private int known;
    private volatile boolean counted;

    /**
     * @param alive receives the number of instances
     * @param pollInterval the longest time between two calls of {@link #count}
     */
    InstanceCount(LiveStore store, IntConsumer alive, Duration pollInterval) {
        Duration longest = pollInterval.compareTo(EVERY) > 0 ? pollInterval : EVERY;
        this.store = store;
        this.alive = alive;
        this.counts = longest.multipliedBy(MISSED);
        this.gapMicros = longest.multipliedBy(MISSED - 1).toNanos() / 1000;
    }

    private static String newId() {
        return UUID.randomUUID().toString();
    }

    /**
     * Counts if it is time. Redis may fail to count it and still have the live limits.
     *
     * @param nowMicros server time
     */
    void count(long nowMicros) {
        long sinceMicros = Math.abs(nowMicros - countedMicros);
        if (counted && sinceMicros < EVERY.toNanos() / 1000) {
            return;
        }
        try {
            int found = store.alive(id, counts);
            // After an outage, or a step of Redis's clock, all others seem dead until they count again.
            boolean gap = !counted || sinceMicros > gapMicros;
            int before = gap ? known : last;
            known = Math.max(found, before);
            last = gap ? known : found;
            alive.accept(known);
            counted = true;
            countedMicros = nowMicros;
        } catch (RuntimeException e) {
            log.warn(
                    failures,
                    "The instances of the fleet cannot be counted, so each decides under the last count while Redis is"
                            + " unavailable; without any, under the whole limit.",
                    e);
        }
    }

    /** This instance does not count any more. Called by any thread. */
    void leave() {
        if (counted) {
            counted = false;
            String left = id;
            // A copy of this process that goes on is another instance.
            id = newId();
            try {
                store.leave(left);
            } catch (RuntimeException e) {
                log.debug("This instance counts until its time is over.", e);
            }
        }
    }
}
