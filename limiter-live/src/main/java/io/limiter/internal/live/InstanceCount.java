package io.limiter.internal.live;

import io.limiter.internal.live.store.LiveStore;
import io.limiter.internal.log.AsyncLog;
import java.time.Duration;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

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
    private final Supplier<String> instance;
    private final Duration counts;
    private long countedMicros;
    private int last;
    private volatile boolean counted;

    /**
     * @param alive receives the number of instances
     * @param instance the name of this one
     * @param pollInterval the longest time between two calls of {@link #count}
     */
    InstanceCount(LiveStore store, IntConsumer alive, Supplier<String> instance, Duration pollInterval) {
        this.store = store;
        this.alive = alive;
        this.instance = instance;
        this.counts = (pollInterval.compareTo(EVERY) > 0 ? pollInterval : EVERY).multipliedBy(MISSED);
    }

    /**
     * Counts if it is time. Redis may refuse it and still have the live limits.
     *
     * @param nowMicros server time
     */
    void count(long nowMicros) {
        if (counted && Math.abs(nowMicros - countedMicros) < EVERY.toNanos() / 1000) {
            return;
        }
        try {
            int found = store.alive(instance.get(), counts);
            // When Redis's clock steps forward, all others seem dead until they count again.
            alive.accept(Math.max(found, last));
            last = found;
            counted = true;
            countedMicros = nowMicros;
        } catch (RuntimeException e) {
            log.debug("The instances of the fleet could not be counted.", e);
        }
    }

    /** This instance does not count any more. Called by any thread. */
    void leave() {
        if (counted) {
            counted = false;
            try {
                store.leave(instance.get());
            } catch (RuntimeException e) {
                log.debug("This instance counts until its time is over.", e);
            }
        }
    }
}
