package io.limiter.internal.batch;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.resilience.Deadlines;
import io.limiter.internal.resilience.Guard;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A batch queue: requests that may share calls, and the calls in flight for them. It has limit sets, or requests with one part;
 * never both, because they do not share calls.
 *
 * <p>Every change (a request was added, a call was answered) signals. The first thread to signal becomes the owner
 * and starts calls. Signals of other threads in that time make the owner check again. After {@value #MOST_CALLS_OF_A_CALLER}
 * calls it hands the ownership to a thread of the limiter. So one thread at a time takes
 * requests from the queue, calls start in the order of the queue, and no thread waits for a lock.
 *
 * <p>The thread that has taken a request from the queue ensures its completion, whatever is thrown. Batches stay in
 * {@link #sent}, where their deadlines are checked, until all requests are completed.
 */
public final class Lane {

    /** A caller that others keep busy would have its own decision and not return. */
    private static final int MOST_CALLS_OF_A_CALLER = 64;

    /** Whether its deadlines are checked; changed by the engine. */
    final AtomicBoolean watched = new AtomicBoolean();

    private final Backend backend;
    private final GroupCommit.Settings settings;
    private final Yielding yielding;
    private final Executor blockingCalls;
    private final Guard guard;
    private final Consumer<Lane> check;
    private final Deadlines deadlines;
    private final LaneQueue queue;
    private final RoundTrips roundTrips = new RoundTrips();
    private final Set<Batch> sent = ConcurrentHashMap.newKeySet();
    // Requests that could not be completed at their deadline. Once withdrawn, they may be in no other collection.
    private final Set<Ask> overdue = ConcurrentHashMap.newKeySet();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger signals = new AtomicInteger();
    private volatile boolean closed;
    // Confined to the owner: how many calls it has started.
    private int started;
    // Whether the next call must not wait for a reply.
    private volatile boolean startsNow;
    // How many requests share the last call.
    private volatile int lastRequests;
    // When a call has failed that the circuit breaker counted.
    private volatile long failedNanos;
    // Written by the owner: how many requests must be queued, for each call in flight, before another call starts.
    private volatile int minQueuedForAnother;

    /** @param check has its deadlines checked, once something was added */
    Lane(
            Backend backend,
            GroupCommit.Settings settings,
            Yielding yielding,
            Executor blockingCalls,
            Guard guard,
            Consumer<Lane> check) {
        this.guard = guard;
        this.check = check;
        this.deadlines = guard.deadlines();
        this.queue = new LaneQueue(settings.maxQueued());
        this.backend = backend;
        this.settings = settings;
        this.yielding = yielding;
        this.blockingCalls = blockingCalls;
        this.minQueuedForAnother = settings.minQueuedForAnother();
        this.failedNanos = deadlines.ticker().read();
    }

    /**
     * @throws LimiterBackendException if the queue is full
     */
    void add(Ask request) {
        if (yielding.helps(lastRequests, roundTrips.longestNanos())) {
            request.beforeParking(yielding);
        }
        queue.add(request);
        // Before a call: a client that blocks in it must not keep the deadline from being checked.
        check.accept(this);
        // Otherwise the next reply starts a call. It frees its place before it looks for queued requests, and here it
        // is the other way round, so one of the two sees the other.
        if (closed || mayStart()) {
            signal();
        }
    }

    /**
     * Fails overdue requests: queued ones are withdrawn, sent ones become ambiguous.
     *
     * @return whether any request is still pending
     */
    boolean endOverdue(long nowNanos) {
        overdue.forEach(request -> endOverdue(request, nowNanos));
        overdue.removeIf(Ask::isDone);
        long oldestNanos = 0;
        long now = deadlines.now();
        for (Batch batch : sent) {
            oldestNanos = Math.max(oldestNanos, now - batch.startNanos());
            batch.forEach(request -> endOverdue(request, nowNanos));
        }
        queue.endOverdue(nowNanos, request -> endOverdue(request, nowNanos));
        startInTime(now, oldestNanos);
        return isPending();
    }

    /**
     * Starts another call if the oldest queued request would be answered too late otherwise, or if that is not known
     * because a call takes longer than the last ones.
     *
     * @param oldestNanos how long the oldest call has been in flight; 0 for none
     */
    private void startInTime(long nowNanos, long oldestNanos) {
        Ask oldest = queue.peek();
        if (oldest == null || backend.blocks()) {
            return;
        }
        long waitedNanos = deadlines.decisionTimeoutNanos() - (oldest.deadlineNanos() - nowNanos);
        long known = roundTrips.longestNanos();
        boolean longer = known > 0 && oldestNanos > known;
        if (longer || deadlines.mustNotWait(waitedNanos, Math.max(known, oldestNanos))) {
            startsNow = true;
            try {
                deadlines.handOver(this::signal);
            } catch (OutOfMemoryError e) {
                deadlines.report("No thread could be started to send requests in time. Trying again.", e);
            }
        }
    }

    private void endOverdue(Ask request, long nowNanos) {
        if (!request.isOverdue(nowNanos)) {
            return;
        }
        try {
            guard.expire(request);
        } catch (RuntimeException | Error e) {
            // The others must still be failed; this one is retried at the next check.
            overdue.add(request);
            deadlines.report(
                    "An overdue request could not be ended, and its caller still waits. Retrying. Please report this as a bug.",
                    e);
        }
    }

    /** Whether any request is queued, in flight or to be retried. Requests added before this call are never missed. */
    boolean isPending() {
        // First: between two collections, a request is held only by the owner.
        return signals.get() > 0 || queue.size() > 0 || !sent.isEmpty() || queue.hasPausing() || !overdue.isEmpty();
    }

    /** The number of queued requests. */
    int queued() {
        return queue.size();
    }

    /** Fails queued and all later requests; those already sent are still answered. */
    void close() {
        closed = true;
        signal();
    }

    private void signal() {
        if (signals.getAndIncrement() == 0) {
            own(false);
        }
    }

    /**
     * @param limitersThread whether this is a thread of the limiter, which may block and own this for as long as it takes
     */
    private void own(boolean limitersThread) {
        int seen = signals.get();
        started = 0;
        do {
            try {
                if (takeAndStart(limitersThread)) {
                    return;
                }
            } catch (RuntimeException | Error e) {
                // Without an end to the ownership, the lane would never send again.
                failQueued(key -> BackendFailures.unexpected(key, "the call could not be started: " + e, e));
            }
            if (closed) {
                failQueued(BackendFailures::closed);
            }
            seen = signals.addAndGet(-seen);
        } while (seen != 0);
    }

    /**
     * @return whether the ownership was handed to another thread
     */
    private boolean takeAndStart(boolean limitersThread) {
        while (!closed && mayStart()) {
            boolean blocks = backend.blocks();
            if ((blocks || started >= MOST_CALLS_OF_A_CALLER) && !limitersThread) {
                if (handOver()) {
                    return true;
                }
                continue;
            }
            // First: requests can be withdrawn while the connection is made.
            RuntimeException notConnected = blocks ? connect() : null;
            Batch batch = queue.take(settings, guard::fail);
            if (batch == null) {
                return false;
            }
            started++;
            minQueuedForAnother = batch.minQueuedForAnother(settings);
            lastRequests = batch.requests();
            startsNow = false;
            batch.startedAt(deadlines.now());
            start(batch, notConnected);
        }
        return false;
    }

    private @Nullable RuntimeException connect() {
        try {
            backend.connect();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** Hands the ownership to a thread of the limiter. */
    private boolean handOver() {
        try {
            blockingCalls.execute(() -> own(true));
            return true;
        } catch (RejectedExecutionException e) {
            closed = true;
        } catch (RuntimeException | Error e) {
            // For example OutOfMemoryError for a thread. The next request tries again.
            failQueued(key -> BackendFailures.unexpected(key, "no thread could be started to call Redis: " + e, e));
        }
        return false;
    }

    /**
     * The first call starts at once. Further ones start if enough requests are queued, because sharing the next call is
     * cheaper for them than a call of their own; if most of a round trip is spent in the network, see {@link RoundTrips}; or if
     * requests cannot wait for a reply, see {@link #startInTime}.
     */
    private boolean mayStart() {
        int inFlight = calls.get();
        int waiting = queue.size();
        int most = settings.maxCalls();
        return inFlight < most && waiting > inFlight * minQueuedForAnother
                || waiting > 0 && (startsNow || most > 1 && inFlight < roundTrips.callsInFlight() && !backend.blocks());
    }

    private void start(Batch batch, @Nullable RuntimeException notConnected) {
        calls.incrementAndGet();
        long startNanos = deadlines.ticker().read();
        try {
            sent.add(batch);
            if (notConnected == null) {
                batch.start(backend, answers -> onReply(batch, startNanos, answers, null));
            } else {
                onReply(batch, startNanos, batch.failures(key -> backend.notConnected(key, notConnected)), null);
            }
        } catch (RuntimeException | Error e) {
            // Errors too, such as a StackOverflowError of the caller: the owner must always end its ownership.
            onReply(batch, startNanos, null, e);
        }
    }

    private void onReply(Batch batch, long startNanos, @Nullable List<Answer> answers, @Nullable Throwable error) {
        // Before others start and wake, and not by the clock of deadlines, which stands still while none are checked.
        long endNanos = deadlines.ticker().read();
        if (!batch.end()) {
            return;
        }
        // What nothing was decided by may not have been sent.
        if (answers != null && !answers.isEmpty() && answers.get(0).failure() == null) {
            roundTrips.add(endNanos - startNanos, endNanos);
        }
        calls.decrementAndGet();
        // The next call first, so that the backend works while these callers are woken.
        signal();
        try {
            if (batch.complete(
                    answers,
                    error,
                    guard::decided,
                    (requests, failure) -> failed(requests, failure, startNanos, endNanos))) {
                guard.answered(batch.firstKey(), batch.startNanos());
            }
        } catch (RuntimeException | Error e) {
            batch.fail(key -> BackendFailures.ambiguous(key, "its requests could not be completed: " + e, e), guard);
        } finally {
            // Last, so that requests which are not completed keep their deadline.
            sent.remove(batch);
        }
    }

    private void failed(List<Ask> requests, LimiterBackendException failure, long startNanos, long endNanos) {
        // All calls in flight fail with their connection.
        boolean isFirst = startNanos - failedNanos >= 0;
        if (guard.ended(
                requests, failure, isFirst, closed ? null : (retries, pause) -> retryAfter(pause, retries, failure))) {
            failedNanos = endNanos;
        }
    }

    private void retryAfter(long pauseNanos, List<Ask> requests, LimiterBackendException failure) {
        queue.pause(requests);
        try {
            deadlines.later(pauseNanos, () -> {
                queue.retry(requests);
                deadlines.ensureChecking();
                signal();
            });
        } catch (RuntimeException | Error e) {
            deadlines.report(
                    "No thread could be started to retry requests, so they fail and their failure policy decides. Check the JVM's memory and thread limits.",
                    e);
            requests.forEach(request -> request.fail(failure, guard.outside()));
            queue.drop(requests);
        }
    }

    private void failQueued(Function<String, LimiterBackendException> why) {
        Ask next;
        while ((next = queue.poll()) != null) {
            queue.taken(1);
            if (!next.isDone()) {
                guard.fail(next, why.apply(next.key()));
            }
        }
    }
}
