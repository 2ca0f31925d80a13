package io.limiter.internal.waiting;

import com.google.common.base.Ticker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The requests of a limiter that wait to be decided again: a bound on how many, and their queues. Safe for use by many threads. */
public final class WaitingRoom {

    /** In shadow mode calls do not wait for their requests, so that a flood could leave any number of them. */
    public static final int MAX_WAITING = 10_000;

    private final Waits waits;
    private final Map<Object, WaitQueue> queues = new ConcurrentHashMap<>();
    private final Semaphore room = new Semaphore(MAX_WAITING);

    /** @param waits those of the factory, with which these end */
    public WaitingRoom(Waits waits) {
        this.waits = waits;
    }

    Ticker ticker() {
        return waits.sleeper().ticker();
    }

    Waits waits() {
        return waits;
    }

    /** Whether any request waits. Costs one read. */
    public boolean isWaitedFor() {
        return room.availablePermits() < MAX_WAITING;
    }

    /** Whether requests wait that are the same. */
    public boolean isWaitedFor(Object queueKey) {
        return queues.containsKey(queueKey);
    }

    /** Whether one more may wait. If not, its rejection is final. {@link #leave} follows. */
    boolean tryEnter() {
        return room.tryAcquire();
    }

    void leave() {
        room.release();
    }

    /**
     * The queue of the requests for the same permits.
     *
     * @param queueKey equal for these
     */
    WaitQueue queue(Object queueKey) {
        return queues.computeIfAbsent(queueKey, same -> new WaitQueue(waits, queue -> remove(same, queue)));
    }

    /** The queue of the requests for the same permits, if there is one. */
    @Nullable
    WaitQueue find(Object queueKey) {
        return queues.get(queueKey);
    }

    /** Removes a queue that has ended. Whoever finds it may do that, and need not wait for the thread that has ended it. */
    void remove(Object queueKey, WaitQueue ended) {
        queues.remove(queueKey, ended);
    }
}
