package io.limiter.internal.live;

import io.limiter.internal.log.AsyncLog;
import io.limiter.live.LiveChange;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Notifies the listeners of live limits of what was applied, in order. */
final class ChangeListeners {

    private static final AsyncLog log = AsyncLog.of(ChangeListeners.class);

    private final List<Consumer<LiveChange>> listeners = new CopyOnWriteArrayList<>();
    // Listeners are called without the monitor of the copy: one may wait for a thread that changes live limits.
    private final Queue<LiveChange> unpublished = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean publishing = new AtomicBoolean();

    /** See {@link io.limiter.live.LiveLimits#subscribe}. */
    AutoCloseable add(Consumer<LiveChange> listener) {
        Objects.requireNonNull(listener, "listener");
        // One of its own, so that a listener that subscribes twice is called twice and ends once.
        Consumer<LiveChange> own = listener::accept;
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    /** Queues a change for the next {@link #publish}. */
    void applied(LiveChange change) {
        unpublished.add(change);
    }

    /**
     * Calls the listeners for what was applied, in order. Does nothing while another thread does, or a listener of this one:
     * that comes to the newer changes after the older ones.
     */
    void publish() {
        while (!unpublished.isEmpty() && publishing.compareAndSet(false, true)) {
            try {
                for (LiveChange next = unpublished.poll(); next != null; next = unpublished.poll()) {
                    publish(next);
                }
            } finally {
                publishing.set(false);
            }
        }
    }

    private void publish(LiveChange change) {
        for (Consumer<LiveChange> listener : listeners) {
            try {
                listener.accept(change);
            } catch (RuntimeException | Error e) {
                log.error("A listener of live limits has failed for {}.", change, e);
            }
        }
    }
}
