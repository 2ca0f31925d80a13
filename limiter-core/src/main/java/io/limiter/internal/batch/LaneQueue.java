package io.limiter.internal.batch;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a {@link Lane} that are not in a call: queued ones in order, and failed ones that will be retried. Any thread
 * adds requests; only the lane's owner takes them.
 */
final class LaneQueue {

    private final int max;
    private final Queue<Ask> queue = new ConcurrentLinkedQueue<>();
    // They are sent before queued ones.
    private final Queue<Ask> retrying = new ConcurrentLinkedQueue<>();
    private final Set<Ask> pausing = ConcurrentHashMap.newKeySet();
    private final AtomicInteger size = new AtomicInteger();
    // Written by the owner: taken, but it did not fit into the last batch.
    private volatile @Nullable Ask heldBack;

    /**
     * @param max how many requests are queued at most
     */
    LaneQueue(int max) {
        this.max = max;
    }

    /**
     * @throws io.limiter.LimiterBackendException if the queue is full
     */
    void add(Ask request) {
        if (size.incrementAndGet() > max) {
            size.decrementAndGet();
            throw BackendFailures.queueFull(
                    LimiterBackendException.Kind.NOT_EXECUTED,
                    request.key(),
                    max + " requests wait to be sent already",
                    "raise maxQueued of the factory's builder, which is " + max
                            + "; if it is large, Redis is too slow for this load",
                    null);
        }
        queue.add(request);
    }

    /** Keeps failed requests until they are {@linkplain #retry retried}. */
    void pause(List<Ask> requests) {
        pausing.addAll(requests);
    }

    void retry(List<Ask> requests) {
        size.addAndGet(requests.size());
        retrying.addAll(requests);
        pausing.removeAll(requests);
    }

    /** Keeps failed requests no longer, because they cannot be retried. */
    void drop(List<Ask> requests) {
        pausing.removeAll(requests);
    }

    /** The next request, which may be completed or cancelled; {@code null} if there is none. */
    @Nullable
    Ask peek() {
        Ask held = heldBack;
        Ask retried = held == null ? retrying.peek() : held;
        return retried == null ? queue.peek() : retried;
    }

    /** Takes the next request; it counts until {@link #taken}. */
    @Nullable
    Ask poll() {
        Ask held = heldBack;
        if (held != null) {
            heldBack = null;
            return held;
        }
        Ask retried = retrying.poll();
        return retried == null ? queue.poll() : retried;
    }

    /**
     * Takes the requests of the next call; {@code null} if there are none.
     *
     * @param fail fails requests that no batch can have
     */
    @Nullable
    Batch take(GroupCommit.Settings settings, BiConsumer<Ask, LimiterBackendException> fail) {
        Batch batch = new Batch(size());
        int taken = 0;
        try {
            Ask next;
            while ((next = poll()) != null) {
                taken++;
                if (next.isDone()) {
                    continue;
                }
                try {
                    if (!batch.add(next, settings)) {
                        heldBack = next;
                        taken--;
                        break;
                    }
                } catch (RuntimeException | Error e) {
                    fail.accept(
                            next, BackendFailures.unexpected(next.key(), "it could not be added to a batch: " + e, e));
                    if (!batch.isEmpty()) {
                        break;
                    }
                }
            }
        } finally {
            // Once for all of them, because other threads write this number too.
            taken(taken);
        }
        return batch.isEmpty() ? null : batch;
    }

    /** Counts requests out that were taken. */
    void taken(int requests) {
        size.addAndGet(-requests);
    }

    /** The number of queued requests, without those that pause. */
    int size() {
        return size.get();
    }

    boolean hasPausing() {
        return !pausing.isEmpty();
    }

    /**
     * Ends overdue requests. All have the same decision timeout, so the queue is in the order of deadlines.
     *
     * @param end ends a request if it is overdue
     */
    void endOverdue(long nowNanos, Consumer<Ask> end) {
        retrying.forEach(end);
        pausing.forEach(end);
        Ask held = heldBack;
        if (held != null) {
            end.accept(held);
        }
        for (Ask request : queue) {
            if (!request.isOverdue(nowNanos)) {
                break;
            }
            end.accept(request);
        }
    }
}
