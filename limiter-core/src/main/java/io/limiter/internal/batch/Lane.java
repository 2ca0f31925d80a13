package io.limiter.internal.batch;

import io.limiter.LimiterBackendException;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.PendingRequest;
import io.limiter.spi.Answer;
import io.limiter.spi.BatchEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A queue of requests that may share calls, and the calls that are under way for it.
 *
 * <p>Whoever changes something (a request was added, a call was answered) signals. The first who signals becomes the
 * owner and starts calls for as long as there is reason to; a signal meanwhile makes it look once more. So there is one
 * who takes from the queue at any time, calls start in the order of the queue, and nobody waits for a lock.
 *
 * <p>Whoever has taken a request from the queue sees to it that it is answered, whatever is thrown meanwhile. What was sent
 * stays in {@link #sent}, where its time is watched, until all of it is answered.
 */
public final class Lane {

    private final BatchEngine engine;
    private final GroupCommit.Settings settings;
    private final int maxCalls;
    private final Executor blockingCalls;
    private final Guard guard;
    private final Queue<PendingRequest> queue = new ConcurrentLinkedQueue<>();
    // What has failed and is tried again; goes first.
    private final Queue<PendingRequest> again = new ConcurrentLinkedQueue<>();
    // What has failed and waits a moment before it is.
    private final Set<PendingRequest> pausing = ConcurrentHashMap.newKeySet();
    private final Set<Batch> sent = ConcurrentHashMap.newKeySet();
    // What could not be ended when its time was over. Withdrawn, it may be in none of the others any more.
    private final Set<PendingRequest> overdue = ConcurrentHashMap.newKeySet();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger signals = new AtomicInteger();
    private final AtomicBoolean watched = new AtomicBoolean();
    private volatile boolean closed;
    // Changed by the owner: taken from the queue, but to be decided after the batch under way.
    private volatile @Nullable PendingRequest heldBack;
    // The owner's: how many must wait for each call under way before one more starts.
    private int minQueuedForAnother;

    public Lane(BatchEngine engine, GroupCommit.Settings settings, int maxCalls, Executor blockingCalls, Guard guard) {
        this.guard = guard;
        this.engine = engine;
        this.settings = settings;
        this.maxCalls = maxCalls;
        this.blockingCalls = blockingCalls;
        this.minQueuedForAnother = settings.minQueuedForAnother();
    }

    /**
     * @throws LimiterBackendException if too many are queued
     */
    void add(PendingRequest request) {
        if (queued.incrementAndGet() > settings.maxQueued()) {
            queued.decrementAndGet();
            throw new LimiterBackendException(
                    request.key(),
                    settings.maxQueued()
                            + " requests are waiting to be sent already: Redis is down or too slow for them");
        }
        queue.add(request);
        signal();
    }

    /**
     * Ends what is overdue: withdraws what is queued, and waits no longer for what was sent.
     *
     * @return whether anything is pending still
     */
    boolean endOverdue(long nowNanos) {
        for (PendingRequest request : overdue) {
            endOverdue(request, nowNanos);
        }
        overdue.removeIf(PendingRequest::isDone);
        for (Batch batch : sent) {
            batch.forEach(request -> endOverdue(request, nowNanos));
        }
        for (PendingRequest request : again) {
            endOverdue(request, nowNanos);
        }
        for (PendingRequest request : pausing) {
            endOverdue(request, nowNanos);
        }
        PendingRequest held = heldBack;
        if (held != null) {
            endOverdue(held, nowNanos);
        }
        // All have the same time, so they are overdue in the order in which they came.
        for (PendingRequest request : queue) {
            if (!endOverdue(request, nowNanos)) {
                break;
            }
        }
        return isPending();
    }

    private boolean endOverdue(PendingRequest request, long nowNanos) {
        boolean isOverdue = request.isOverdue(nowNanos);
        if (isOverdue) {
            try {
                request.expire(guard);
            } catch (RuntimeException | Error e) {
                // The others must end all the same; this one at the next look.
                overdue.add(request);
                guard.deadlines().report("A request could not be ended; trying again.", e);
            }
        }
        return isOverdue;
    }

    /**
     * Whether anything is queued, under way, or tried again in a moment. Of what was added before this is called, nothing is
     * missed.
     */
    boolean isPending() {
        // First: between two of the others, a request is the owner's.
        return signals.get() > 0 || queued.get() > 0 || !sent.isEmpty() || !pausing.isEmpty() || !overdue.isEmpty();
    }

    /**
     * Takes note that somebody watches this lane from now on.
     *
     * @return whether nobody did before
     */
    boolean watch() {
        return !watched.get() && watched.compareAndSet(false, true);
    }

    void unwatch() {
        watched.set(false);
    }

    /** How many requests wait to be sent. */
    int queued() {
        return queued.get();
    }

    /** Fails what is queued, and whatever is added from now on. What was sent is still answered. */
    void close() {
        closed = true;
        signal();
    }

    private void signal() {
        if (signals.getAndIncrement() == 0) {
            own(false);
        }
    }

    private void own(boolean mayBlock) {
        int seen = signals.get();
        do {
            try {
                if (startCalls(mayBlock)) {
                    return;
                }
            } catch (RuntimeException | Error e) {
                // Left owned, the lane would never send again.
                failQueued(key -> new LimiterBackendException(key, "it could not be sent: " + e, e));
            }
            if (closed) {
                failQueued(LimiterBackendException::closed);
            }
            seen = signals.addAndGet(-seen);
        } while (seen != 0);
    }

    /** @return whether another thread owns the lane now */
    private boolean startCalls(boolean mayBlock) {
        while (!closed && mayStart()) {
            boolean blocks = engine.blocks();
            if (blocks && !mayBlock) {
                if (handedOver()) {
                    return true;
                }
                continue;
            }
            // First, because what waits for a connection can still be withdrawn.
            RuntimeException notConnected = blocks ? connect() : null;
            Batch batch = take();
            if (batch == null) {
                return false;
            }
            start(batch, notConnected);
        }
        return false;
    }

    private @Nullable RuntimeException connect() {
        try {
            engine.connect();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** To a thread that may block, with all calls that are still to be made. */
    private boolean handedOver() {
        try {
            blockingCalls.execute(() -> own(true));
            return true;
        } catch (RejectedExecutionException e) {
            closed = true;
        } catch (RuntimeException | Error e) {
            // Such as no memory for one more thread. Whoever comes next tries again.
            failQueued(key -> new LimiterBackendException(key, "there is no thread to make the call: " + e));
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
            try {
                if (batch == null) {
                    batch = new Batch();
                }
                if (!batch.add(next, settings)) {
                    heldBack = next;
                    queued.incrementAndGet();
                    break;
                }
            } catch (RuntimeException | Error e) {
                next.fail(new LimiterBackendException(next.key(), "it could not be put into a call: " + e, e), guard);
                if (batch != null && !batch.isEmpty()) {
                    break;
                }
                batch = null;
            }
        }
        return batch == null || batch.isEmpty() ? null : batch;
    }

    /** The next that nobody has cancelled. */
    private @Nullable PendingRequest poll() {
        PendingRequest next;
        do {
            next = heldBack;
            heldBack = null;
            if (next == null) {
                next = again.poll();
            }
            if (next == null) {
                next = queue.poll();
            }
            if (next != null) {
                queued.decrementAndGet();
            }
        } while (next != null && next.isDone());
        return next;
    }

    private void start(Batch batch, @Nullable RuntimeException notConnected) {
        calls.incrementAndGet();
        minQueuedForAnother = batch.minQueuedForAnother(settings);
        long startNanos = guard.now();
        try {
            sent.add(batch);
            call(batch, notConnected).whenComplete((answers, error) -> ended(batch, answers, error, startNanos));
        } catch (RuntimeException | Error e) {
            ended(batch, null, e, startNanos);
        }
    }

    private void ended(Batch batch, @Nullable List<Answer> answers, @Nullable Throwable error, long startNanos) {
        calls.decrementAndGet();
        // The next call first: the backend is at work on it while these callers are woken.
        signal();
        try {
            if (batch.complete(answers, error, guard::decided, this::failed)) {
                guard.answered(startNanos);
            }
        } catch (RuntimeException | Error e) {
            batch.fail(key -> new LimiterBackendException(key, "the call could not be ended: " + e, e, true), guard);
        } finally {
            // Last: what is not answered yet is watched.
            sent.remove(batch);
        }
    }

    private CompletableFuture<List<Answer>> call(Batch batch, @Nullable RuntimeException notConnected) {
        try {
            return notConnected == null
                    ? engine.start(batch.asked())
                    : CompletableFuture.completedFuture(batch.failed(key -> engine.notConnected(key, notConnected)));
        } catch (RuntimeException | Error e) {
            // Errors too, such as a caller's full stack: whoever owns the lane must not leave it without giving it up.
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Tries those again that may go well in the time they have left, and fails the others. */
    private void failed(List<PendingRequest> requests, LimiterBackendException failure) {
        long now = guard.now();
        long shortestPause = Long.MAX_VALUE;
        List<PendingRequest> oncemore = new ArrayList<>(0);
        boolean forGood = false;
        for (PendingRequest request : requests) {
            long pause = closed ? 0 : request.pauseNanos(failure, now);
            if (pause > 0) {
                request.waitAgain();
                oncemore.add(request);
                shortestPause = Math.min(shortestPause, pause);
            } else if (!request.isDone()) {
                forGood = true;
                request.fail(failure, guard);
            }
        }
        if (forGood) {
            guard.failed(failure);
        }
        if (!oncemore.isEmpty()) {
            tryAgainIn(shortestPause, oncemore, failure);
        }
    }

    private void tryAgainIn(long pauseNanos, List<PendingRequest> requests, LimiterBackendException failure) {
        pausing.addAll(requests);
        try {
            guard.deadlines().later(pauseNanos, () -> addAgain(requests));
        } catch (RuntimeException | Error e) {
            guard.deadlines().report("There is no thread to try requests again; they have failed.", e);
            requests.forEach(request -> request.fail(failure, guard));
            pausing.removeAll(requests);
        }
    }

    private void addAgain(List<PendingRequest> requests) {
        queued.addAndGet(requests.size());
        again.addAll(requests);
        pausing.removeAll(requests);
        guard.deadlines().look();
        signal();
    }

    private void failQueued(Function<String, LimiterBackendException> why) {
        PendingRequest next;
        while ((next = poll()) != null) {
            next.fail(why.apply(next.key()), guard);
        }
    }
}
