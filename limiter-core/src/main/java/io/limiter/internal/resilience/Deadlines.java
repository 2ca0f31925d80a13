package io.limiter.internal.resilience;

import com.google.common.base.Ticker;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.internal.time.OncePerMinute;
import io.limiter.internal.time.RunningClock;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that nothing waits beyond its time. One thread looks at all that is pending every twentieth of the budget, while
 * anything is, so a request costs no timer of its own. There is no thread while nothing is.
 *
 * <p>It ends what would be overdue before it looks again, so what it ends may end up to a twentieth early and never late; with
 * a budget below 20 ms up to a millisecond late, because it looks no more often than that. Those who wait have no other timer,
 * so it runs nothing of theirs: that is run {@link #outside}. Nothing that goes wrong ends its looking.
 *
 * <p>Times are by {@link #now()}, a clock that stands still while this JVM does: a pause of ours is no outage of the backend.
 */
public final class Deadlines {

    private static final Logger log = LoggerFactory.getLogger(Deadlines.class);

    private static final long SHORTEST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int LOOKS_PER_BUDGET = 20;
    private static final int IDLE_SECONDS = 10;
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long budgetNanos;
    private final long firstExtraNanos;
    private final long intervalNanos;
    private final long earlyNanos;
    private final ScheduledThreadPoolExecutor thread;
    // As many threads as callers block at once, so that none waits for another.
    private final BlockingCalls outside = new BlockingCalls("limiter-overdue-");
    private final CopyOnWriteArrayList<Pool> pools = new CopyOnWriteArrayList<>();
    private final Queue<BoundedCall<?>> calls = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean starting = new AtomicBoolean();
    private final RunningClock clock;
    private final OncePerMinute reported = new OncePerMinute();
    private volatile boolean answered;
    // Written before that, once.
    private long answeredNanos;
    private volatile boolean looking;
    private volatile boolean closed;
    // Of whoever has set starting.
    private @Nullable Future<?> looks;
    // The looking thread's.
    private long idleSinceNanos;

    Deadlines(Duration budget, Ticker ticker) {
        this(budget, budget, ticker);
    }

    /**
     * @param firstBudget how long anything may be pending until the backend has first answered, if that is longer
     */
    Deadlines(Duration budget, Duration firstBudget, Ticker ticker) {
        this.budgetNanos = budget.toNanos();
        this.firstExtraNanos = Math.max(0, firstBudget.toNanos() - budgetNanos);
        this.earlyNanos = budgetNanos / LOOKS_PER_BUDGET;
        this.intervalNanos = Math.max(SHORTEST_INTERVAL_NANOS, Math.min(LONGEST_INTERVAL_NANOS, earlyNanos));
        this.clock = new RunningClock(ticker, intervalNanos);
        this.thread = new ScheduledThreadPoolExecutor(1, Looker::new);
        thread.setRemoveOnCancelPolicy(true);
        thread.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
    }

    private static final class Looker extends Thread {

        Looker(Runnable task) {
            super(task, "limiter-deadlines");
            setDaemon(true);
        }
    }

    /** Things that wait, of which somebody else keeps account. */
    @FunctionalInterface
    public interface Pool {

        /**
         * Ends what is overdue.
         *
         * @param nowNanos by {@link Deadlines#now()}, or a little later
         * @return whether anything is pending still
         */
        boolean endOverdue(long nowNanos);
    }

    /** How long anything may be pending. */
    public long budgetNanos() {
        return budgetNanos;
    }

    /** The backend has answered. */
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

    /** How long something that comes now may be pending. */
    Duration timeout() {
        return Duration.ofNanos(answered ? budgetNanos : budgetNanos + firstExtraNanos);
    }

    /**
     * What is overdue has its deadline before this. What came before the first answer has until a budget after that, or until
     * the first budget is over.
     */
    private long overdueNanos(long nowNanos) {
        return answered && nowNanos - answeredNanos >= budgetNanos ? nowNanos : nowNanos - firstExtraNanos;
    }

    /** The time in nanoseconds, of which only differences mean anything; pauses of this JVM do not count. */
    public long now() {
        return clock.now();
    }

    /** From now on, looks there too. */
    public void watch(Pool pool) {
        pools.add(pool);
    }

    /** To be called after something was added to a pool. Costs one read. */
    public void look() {
        if (!looking) {
            start();
        }
    }

    /** Watches over a call. */
    void add(BoundedCall<?> call) {
        calls.add(call);
        look();
    }

    /** How many calls are watched; those that have finished since the last look too. */
    int watchedCalls() {
        return calls.size();
    }

    /**
     * Runs something later, that does not block.
     *
     * @throws OutOfMemoryError if there can be no thread for it
     */
    public void later(long nanos, Runnable action) {
        try {
            // First: scheduled without a thread, it would be run some day.
            thread.prestartCoreThread();
            thread.schedule(() -> guarded(action), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // Closed, and so are those who have something to do later.
            action.run();
        }
    }

    /** Runs what may be a caller's, which may block: at once, but not on the thread that looks. */
    void outside(Runnable action) {
        if (!(Thread.currentThread() instanceof Looker)) {
            action.run();
            return;
        }
        try {
            outside.execute(() -> guarded(action));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            action.run();
        }
    }

    /** Logs what should not happen, once a minute at most, on a thread for which nobody waits. */
    public void report(String what, Throwable thrown) {
        if (reported.unsaid(System.nanoTime()) == OncePerMinute.NOT_NOW) {
            return;
        }
        try {
            outside.execute(() -> log.error(what, thrown));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // Nobody reads it: closed, or there is not even a thread.
            return;
        }
    }

    /** Looks no more as soon as nothing is pending. What is added nevertheless ends at once. */
    void close() {
        closed = true;
        if (!looking) {
            shutDown();
        }
    }

    private void shutDown() {
        thread.shutdown();
        outside.shutdown();
    }

    private void start() {
        if (!starting.compareAndSet(false, true)) {
            // Whoever starts or stops just now looks for what is pending afterwards.
            return;
        }
        boolean started = false;
        try {
            if (!looking) {
                // First: scheduled without a thread, nobody would look.
                thread.prestartCoreThread();
                clock.start();
                idleSinceNanos = clock.now();
                looks = thread.scheduleWithFixedDelay(
                        this::lookOnce, intervalNanos, intervalNanos, TimeUnit.NANOSECONDS);
                looking = true;
            }
            started = true;
        } catch (RejectedExecutionException e) {
            // Closed: what comes nevertheless ends below.
            started = false;
        } catch (OutOfMemoryError e) {
            report("There is no thread to end what is overdue; all that is pending ends now.", e);
        } finally {
            starting.set(false);
        }
        if (!started) {
            endOverdue(clock.now() + 2 * budgetNanos + firstExtraNanos);
        }
    }

    /** Throws nothing, or it would not be called again. */
    private void lookOnce() {
        try {
            if (!clock.look()) {
                return;
            }
            long now = clock.now();
            if (endOverdue(now + Math.min(earlyNanos, intervalNanos))) {
                idleSinceNanos = now;
            } else if (closed || now - idleSinceNanos >= IDLE_NANOS) {
                stop(now);
            }
        } catch (RuntimeException | Error e) {
            report("What is overdue could not be ended; trying again.", e);
        }
    }

    private void stop(long nowNanos) {
        if (!starting.compareAndSet(false, true)) {
            // Whoever has that relies on the looking; there is another look.
            return;
        }
        Future<?> stopped = looks;
        looking = false;
        starting.set(false);
        if (closed) {
            shutDown();
        } else if (stopped != null) {
            stopped.cancel(false);
        }
        // Read after that was written: whoever adds something does it the other way round.
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
                // What the others have must end all the same.
                pending = true;
                report("What is overdue could not be ended; trying again.", e);
            }
        }
        calls.removeIf(call -> call.isDone() || call.isOverdue(overdueNanos) && expired(call));
        return pending || !calls.isEmpty();
    }

    private boolean expired(BoundedCall<?> call) {
        try {
            call.expire();
            return true;
        } catch (RuntimeException | Error e) {
            report("A call could not be ended; trying again.", e);
            return false;
        }
    }

    private void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            report("A request could not be ended or tried again.", e);
        }
    }
}
