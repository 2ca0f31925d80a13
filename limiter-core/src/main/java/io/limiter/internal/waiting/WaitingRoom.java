package io.limiter.internal.waiting;

import com.google.common.base.Ticker;
import io.limiter.internal.time.Sleeper;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** The requests of a limiter that wait to be decided again: a bound on how many, and their queues. Safe for use by many threads. */
public final class WaitingRoom {

    /** In shadow mode calls do not wait for their requests, so that a flood could leave any number of them. */
    public static final int MAX_WAITING = 10_000;

    private final Sleeper sleeper;
    private final Map<Object, WaitQueue<?>> queues = new ConcurrentHashMap<>();
    private final Semaphore room = new Semaphore(MAX_WAITING);

    /** @param sleeper has their timers */
    public WaitingRoom(Sleeper sleeper) {
        this.sleeper = sleeper;
    }

    Ticker ticker() {
        return sleeper.ticker();
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
     * @param alike equal for these; its class says what the decision is
     */
    @SuppressWarnings("unchecked")
    <D> WaitQueue<D> queue(Object alike) {
        return (WaitQueue<D>) queues.computeIfAbsent(alike, same -> {
            WaitQueue<?>[] created = new WaitQueue<?>[1];
            created[0] = new WaitQueue<D>(sleeper, () -> queues.remove(same, created[0]));
            return created[0];
        });
    }
}
