package io.limiter.internal.resilience;

import com.google.common.base.Ticker;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.thread.LimiterThread;
import io.limiter.internal.thread.TimerThread;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.internal.time.RunningClock;
import java.time.Duration;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Fails pending requests at their deadlines. One thread checks all of them every twentieth of the decision timeout,
 * so a request needs no timer of its own. Without pending requests there is no thread.
 *
 * <p>Requests that would be overdue at the next check are failed now: up to a twentieth early and never late; with a
 * decision timeout below 20 ms up to a millisecond late, the shortest interval. The checking thread checks and hands over:
 * callers' code, which might block, to {@link #outside}, and everything else to {@link #calls}. Exceptions never stop the
 * checks.
 *
 * <p>Times are measured by {@link #now()}, a clock that stands still during pauses of this JVM, so that they do not
 * count as outages of the backend.
 */
public final class Deadlines {

    private static final AsyncLog log = AsyncLog.of(Deadlines.class);

    /** Also those of other factories: none of them may run what blocks. */
    private static final LimiterThread.Factory CHECKING = LimiterThread.named("limiter-deadlines");

    private static final long SHORTEST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int CHECKS_PER_DECISION_TIMEOUT = 20;
    private static final int URGENT_FROM = 5;
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long decisionTimeoutNanos;
    private final long firstExtraNanos;
    private final long intervalNanos;
    private final long earlyNanos;
    private final TimerThread thread;
    // Two, so that callers' code that blocks keeps no request from being retried.
    private final BlockingCalls callbacks = new BlockingCalls("limiter-callback-");
    private final BlockingCalls calls = new BlockingCalls();
    private final CopyOnWriteArrayList<Pool> pools = new CopyOnWriteArrayList<>();
    private final AtomicBoolean starting = new AtomicBoolean();
    private final Ticker ticker;
    private final RunningClock clock;
    private final LogThrottle reported = new LogThrottle();
    private volatile boolean answered;
    private volatile boolean firstEnded;
    // Written once, before answered.
    private long answeredNanos;
    // Written once, before the first check.
    private long firstNanos;
    private boolean hasStarted;
    private volatile boolean checking;
    private volatile boolean closed;
    // Guarded by starting.
    private @Nullable Future<?> checks;
    // Confined to the checking thread.
    private long idleSinceNanos;

    /**
     * @param firstDecisionTimeout if longer than the decisionTimeout: requests have until the backend has first answered, or
     *     until this time has passed since the first request, or it {@linkplain #endFirstTimeout ends}
     */
    Deadlines(Duration decisionTimeout, Duration firstDecisionTimeout, Ticker ticker) {
        this.decisionTimeoutNanos = decisionTimeout.toNanos();
        this.firstExtraNanos = Math.max(0, firstDecisionTimeout.toNanos() - decisionTimeoutNanos);
        this.earlyNanos = decisionTimeoutNanos / CHECKS_PER_DECISION_TIMEOUT;
        this.intervalNanos = Math.max(SHORTEST_INTERVAL_NANOS, Math.min(LONGEST_INTERVAL_NANOS, earlyNanos));
        this.ticker = ticker;
        this.clock = new RunningClock(ticker, intervalNanos);
        this.firstNanos = clock.now();
        this.thread = new TimerThread(CHECKING);
    }

    /** A collection of pending requests with deadlines. */
    @FunctionalInterface
    public interface Pool {

        /**
         * Fails overdue requests.
         *
         * @param nowNanos by {@link Deadlines#now()}, or a little later
         * @return whether any request is still pending
         */
        boolean endOverdue(long nowNanos);
    }

    /** The decision timeout. */
    public long decisionTimeoutNanos() {
        return decisionTimeoutNanos;
    }

    /**
     * Whether a request should be sent now to be answered in time.
     *
     * @param waitedNanos how long it has waited
     * @param roundTripNanos how long the answer is expected to take
     */
    public boolean mustNotWait(long waitedNanos, long roundTripNanos) {
        // Until the next check; requests end up to one check early; and one for the way to and from the client.
        long spareNanos = decisionTimeoutNanos - 3 * intervalNanos - roundTripNanos;
        // With half a round trip to spare, because they vary; but no earlier than a fifth of the timeout for that.
        return waitedNanos
                >= Math.max(spareNanos - roundTripNanos / 2, Math.min(spareNanos, decisionTimeoutNanos / URGENT_FROM));
    }

    /** Records that the backend has answered. */
    void answered(long nowNanos) {
        if (!answered) {
            synchronized (this) {
                if (!answered) {
                    answeredNanos = nowNanos;
                    answered = true;
                }
            }
        }
    }

    /** How long a request with this deadline could take at most. */
    Duration timeout(long deadlineNanos) {
        return Duration.ofNanos(
                answered || !isFirst(deadlineNanos) ? decisionTimeoutNanos : decisionTimeoutNanos + firstExtraNanos);
    }

    /** Whether requests may still have the longer timeout. */
    public boolean hasFirstTimeout() {
        return firstExtraNanos > 0 && !answered && !firstEnded;
    }

    /** Requests have the decision timeout from now on, those from before too, because the longer one would be in vain. */
    public void endFirstTimeout() {
        firstEnded = true;
    }

    /** Whether this is so soon after the first request that the first timeout has not passed. */
    private boolean isFirst(long nanos) {
        return !firstEnded && nanos - firstNanos < decisionTimeoutNanos + firstExtraNanos;
    }

    /**
     * Requests with a deadline before this are overdue. A request from before the first answer has longer: until a decision timeout
     * after that answer, or until the first timeout has passed since the first of these requests.
     */
    private long overdueNanos(long nowNanos) {
        boolean answeredLongAgo = answered && nowNanos - answeredNanos >= decisionTimeoutNanos;
        return answeredLongAgo || !isFirst(nowNanos) ? nowNanos : nowNanos - firstExtraNanos;
    }

    /** The time in nanoseconds, without pauses of this JVM. Only differences are meaningful. */
    public long now() {
        return clock.now();
    }

    /** Never stands still. */
    public Ticker ticker() {
        return ticker;
    }

    /** Adds a collection whose deadlines are checked. */
    public void watch(Pool pool) {
        pools.add(pool);
    }

    /** Starts the checks if necessary. To be called after a request was added to a pool. Costs one read. */
    public void ensureChecking() {
        if (!checking) {
            start();
        }
    }

    /**
     * Runs an action after a delay, on {@link #calls}.
     *
     * @throws OutOfMemoryError if no thread can be started for the delay
     */
    public void later(long nanos, Runnable action) {
        try {
            thread.later(calls, nanos, TimeUnit.NANOSECONDS, () -> guarded(action));
        } catch (RejectedExecutionException e) {
            // This is closed, and so are its users, so the action ends immediately.
            calls.execute(() -> guarded(action));
        }
    }

    /**
     * Runs callers' code, which may block: immediately, or on {@link #callbacks} if this is the checking thread.
     *
     * @throws OutOfMemoryError if no thread can be started
     */
    void outside(Runnable action) {
        handOver(action, callbacks);
    }

    /**
     * Runs what may make calls: immediately, or on {@link #calls} if this is the checking thread.
     *
     * @throws OutOfMemoryError if no thread can be started
     */
    public void handOver(Runnable action) {
        handOver(action, calls);
    }

    private void handOver(Runnable action, Executor threads) {
        if (CHECKING.hasMadeCurrentThread()) {
            threads.execute(() -> guarded(action));
        } else {
            action.run();
        }
    }

    /**
     * The threads of callers' code that runs later than the call, {@value BlockingCalls#MAX_THREADS} at most. While all of
     * them are blocked, further such code waits; callers that wait for a decision themselves do not.
     */
    public Executor callbacks() {
        return callbacks;
    }

    /** The threads of calls that block, and of whatever the checking thread finds to do. */
    public BlockingCalls calls() {
        return calls;
    }

    /** Logs an unexpected exception, once a minute at most. */
    public void report(String what, Throwable thrown) {
        log.error(reported, what, thrown);
    }

    /** Stops the checks as soon as nothing is pending. Requests that are added later fail immediately. */
    void close() {
        closed = true;
        if (!checking) {
            shutDown();
        }
    }

    private void shutDown() {
        thread.shutdown();
        // Later tasks still run.
        callbacks.endIdleThreads();
        calls.endIdleThreads();
    }

    private void start() {
        if (!starting.compareAndSet(false, true)) {
            // The thread that starts or stops concurrently checks for pending requests afterwards.
            return;
        }
        boolean started = false;
        try {
            if (!checking) {
                // First, so that nothing is changed if no thread can be started.
                thread.prestartCoreThread();
                clock.start();
                idleSinceNanos = clock.now();
                if (!hasStarted) {
                    firstNanos = idleSinceNanos;
                    hasStarted = true;
                }
                checks = thread.scheduleWithFixedDelay(
                        this::checkOnce, intervalNanos, intervalNanos, TimeUnit.NANOSECONDS);
                checking = true;
                // Read after the flag was set, while close() sets its own first: one of them sees the other.
                if (closed) {
                    checking = false;
                    shutDown();
                }
            }
            started = checking;
        } catch (RejectedExecutionException e) {
            // Closed: pending requests are failed below.
            started = false;
        } catch (OutOfMemoryError e) {
            report(
                    "No thread could be started to check deadlines, so all pending requests fail now. Check the JVM's memory and thread limits.",
                    e);
        } finally {
            starting.set(false);
        }
        if (!started) {
            endOverdue(clock.now() + 2 * decisionTimeoutNanos + firstExtraNanos);
        }
    }

    /** Must not throw, or it would not be scheduled again. */
    private void checkOnce() {
        try {
            if (!clock.tick()) {
                return;
            }
            long now = clock.now();
            if (endOverdue(now + Math.min(earlyNanos, intervalNanos))) {
                idleSinceNanos = now;
            } else if (closed || now - idleSinceNanos >= IDLE_NANOS) {
                stop(now);
            }
        } catch (RuntimeException | Error e) {
            report("Overdue requests could not be ended. Trying again.", e);
        }
    }

    private void stop(long nowNanos) {
        if (!starting.compareAndSet(false, true)) {
            // A concurrent start relies on the checks; the next check tries to stop again.
            return;
        }
        Future<?> stopped = checks;
        checking = false;
        starting.set(false);
        if (closed) {
            shutDown();
        } else if (stopped != null) {
            stopped.cancel(false);
        }
        // Checked after the flag was cleared, while requests are added before the flag is read: so none is missed.
        if (endOverdue(nowNanos)) {
            start();
        }
    }

    private boolean endOverdue(long nowNanos) {
        long overdueNanos = overdueNanos(nowNanos);
        boolean pending = false;
        for (Pool pool : pools) {
            try {
                pending |= pool.endOverdue(overdueNanos);
            } catch (RuntimeException | Error e) {
                // The other collections must still be checked.
                pending = true;
                report("Overdue requests could not be ended. Trying again.", e);
            }
        }
        return pending;
    }

    private void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            report("A callback of a request has thrown.", e);
        }
    }
}
