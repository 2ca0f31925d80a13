package io.limiter.engine;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that nothing waits beyond its time. One thread looks at all that is pending every twentieth of the budget, while
 * anything is, so a request costs no timer of its own. There is no thread while nothing is.
 *
 * <p>It ends what would be overdue before it looks again, so what it ends may end up to a twentieth early and never late; with
 * a budget below 20 ms up to a millisecond late, because it looks no more often than that. Those who wait have no other timer,
 * so it runs nothing of theirs: that is run {@link #outside}.
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
    private final ThreadPoolExecutor outside;
    private final CopyOnWriteArrayList<Pool> pools = new CopyOnWriteArrayList<>();
    private final Queue<BoundedCall<?>> calls = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean starting = new AtomicBoolean();
    private volatile boolean answered;
    // Written before that, once.
    private long answeredNanos;
    private volatile boolean looking;
    private volatile boolean closed;
    // The looking thread's.
    private long idleSinceNanos;

    /**
     * @param firstBudget how long anything may be pending until the backend has first answered, if that is longer
     */
    Deadlines(Duration budget, Duration firstBudget) {
        this.budgetNanos = budget.toNanos();
        this.firstExtraNanos = Math.max(0, firstBudget.toNanos() - budgetNanos);
        this.earlyNanos = budgetNanos / LOOKS_PER_BUDGET;
        this.intervalNanos = Math.max(SHORTEST_INTERVAL_NANOS, Math.min(LONGEST_INTERVAL_NANOS, earlyNanos));
        this.thread = new ScheduledThreadPoolExecutor(1, Looker::new);
        thread.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
        this.outside =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "limiter-overdue");
                    thread.setDaemon(true);
                    return thread;
                });
        outside.allowCoreThreadTimeOut(true);
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
         * @param nowNanos by {@link System#nanoTime()}, or a little later
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

    /** Watches over a call; all have the same time, so they are overdue in the order in which they come. */
    void add(BoundedCall<?> call) {
        calls.add(call);
        look();
    }

    /** Runs something later, that does not block. */
    void later(long nanos, Runnable action) {
        try {
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
            return;
        }
        try {
            if (!looking) {
                looking = true;
                idleSinceNanos = System.nanoTime();
                next();
            }
        } catch (RejectedExecutionException e) {
            looking = false;
            endOverdue(System.nanoTime() + budgetNanos + firstExtraNanos);
        } catch (RuntimeException | Error e) {
            // Such as no memory for the thread. Whoever comes next tries again.
            looking = false;
            throw e;
        } finally {
            starting.set(false);
        }
    }

    private void next() {
        thread.schedule(this::lookOnce, intervalNanos, TimeUnit.NANOSECONDS);
    }

    private void lookOnce() {
        long now = System.nanoTime();
        boolean pending = true;
        try {
            pending = endOverdue(now + Math.min(earlyNanos, intervalNanos));
        } catch (RuntimeException | Error e) {
            log.error("What is overdue could not be ended; trying again.", e);
        }
        if (pending) {
            idleSinceNanos = now;
        } else if (closed || now - idleSinceNanos >= IDLE_NANOS) {
            looking = false;
            if (closed) {
                shutDown();
            }
            // Read after that was written: whoever adds something does it the other way round.
            if (endOverdue(now)) {
                start();
            }
            return;
        }
        next();
    }

    private boolean endOverdue(long nowNanos) {
        long overdueNanos = overdueNanos(nowNanos);
        boolean pending = false;
        for (Pool pool : pools) {
            pending |= pool.endOverdue(overdueNanos);
        }
        BoundedCall<?> first;
        while ((first = calls.peek()) != null && (first.isDone() || first.isOverdue(overdueNanos))) {
            first.expire();
            calls.remove(first);
        }
        return pending || first != null;
    }

    private static void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            log.error("A request could not be ended or tried again.", e);
        }
    }
}
