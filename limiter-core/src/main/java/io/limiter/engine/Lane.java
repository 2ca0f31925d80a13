package io.limiter.engine;

import io.limiter.LimiterBackendException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A queue of requests that may share calls, and the calls that are under way for it.
 *
 * <p>Whoever changes something (a request was added, a call was answered) signals. The first who signals becomes the
 * owner and starts calls for as long as there is reason to; a signal meanwhile makes it look once more. So there is one
 * who takes from the queue at any time, calls start in the order of the queue, and nobody waits for a lock.
 */
final class Lane {

    private final BatchEngine engine;
    private final GroupCommit.Settings settings;
    private final int maxCalls;
    private final Executor blockingCalls;
    private final Queue<PendingRequest> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger signals = new AtomicInteger();
    private volatile boolean closed;
    // The owner's: taken from the queue, but to be decided after the batch under way.
    private @Nullable PendingRequest heldBack;
    // The owner's too: how many must wait for each call under way before one more starts.
    private int minQueuedForAnother;

    Lane(BatchEngine engine, GroupCommit.Settings settings, int maxCalls, Executor blockingCalls) {
        this.engine = engine;
        this.settings = settings;
        this.maxCalls = maxCalls;
        this.blockingCalls = blockingCalls;
        this.minQueuedForAnother = settings.minQueuedForAnother();
    }

    /**
     * @param mayBlock whether the calling thread is going to wait for the decision anyway, and so can make a blocking
     *     call itself
     * @throws LimiterBackendException if too many are queued
     */
    void add(PendingRequest request, boolean mayBlock) {
        if (queued.incrementAndGet() > settings.maxQueued()) {
            queued.decrementAndGet();
            throw new LimiterBackendException(
                    request.key(),
                    settings.maxQueued()
                            + " requests are waiting to be sent already: Redis is down or too slow for them");
        }
        queue.add(request);
        signal(mayBlock ? 1 : 0);
    }

    /** Fails what is queued, and whatever is added from now on. What was sent is still answered. */
    void close() {
        closed = true;
        signal(0);
    }

    private void signal(int blockingCallsAllowed) {
        if (signals.getAndIncrement() == 0) {
            own(blockingCallsAllowed);
        }
    }

    private void own(int blockingCallsAllowed) {
        int allowed = blockingCallsAllowed;
        int seen = signals.get();
        do {
            while (!closed && mayStart()) {
                if (engine.blocks() && allowed-- <= 0) {
                    if (handedOver()) {
                        return;
                    }
                    continue;
                }
                Batch batch = take();
                if (batch == null) {
                    break;
                }
                start(batch);
            }
            if (closed) {
                failQueued(BlockingCalls.CLOSED);
            }
            seen = signals.addAndGet(-seen);
        } while (seen != 0);
    }

    /** To a thread that may block, with all calls that are still to be made. */
    private boolean handedOver() {
        try {
            blockingCalls.execute(() -> own(Integer.MAX_VALUE));
            return true;
        } catch (RejectedExecutionException e) {
            closed = true;
        } catch (RuntimeException | Error e) {
            // Such as no memory for one more thread. Whoever comes next tries again.
            failQueued("there is no thread to make the call: " + e);
        }
        return false;
    }

    /**
     * The first call starts at once, so nobody waits when nobody else does. Further ones only if they are worth a call:
     * requests that wait a moment longer for the same call cost less than calls of their own.
     */
    private boolean mayStart() {
        int underWay = calls.get();
        return underWay < maxCalls && queued.get() > underWay * minQueuedForAnother;
    }

    private @Nullable Batch take() {
        Batch batch = null;
        PendingRequest next;
        while ((next = poll()) != null) {
            if (batch == null) {
                batch = new Batch();
            }
            if (!batch.add(next, settings)) {
                heldBack = next;
                queued.incrementAndGet();
                break;
            }
        }
        return batch;
    }

    /** The next that nobody has cancelled. */
    private @Nullable PendingRequest poll() {
        PendingRequest next;
        do {
            next = heldBack;
            heldBack = null;
            if (next == null) {
                next = queue.poll();
            }
            if (next != null) {
                queued.decrementAndGet();
            }
        } while (next != null && next.isDone());
        return next;
    }

    private void start(Batch batch) {
        calls.incrementAndGet();
        minQueuedForAnother = batch.minQueuedForAnother(settings);
        call(batch).whenComplete((answers, error) -> {
            calls.decrementAndGet();
            // The next call first: the backend is at work on it while these callers are woken.
            signal(0);
            batch.complete(answers, error);
        });
    }

    private CompletableFuture<List<Answer>> call(Batch batch) {
        try {
            return engine.start(batch.asked());
        } catch (RuntimeException | Error e) {
            // Errors too, such as a caller's full stack: whoever owns the lane must not leave it without giving it up.
            return CompletableFuture.failedFuture(e);
        }
    }

    private void failQueued(String why) {
        PendingRequest next;
        while ((next = poll()) != null) {
            next.completeExceptionally(new LimiterBackendException(next.key(), why));
        }
    }
}
