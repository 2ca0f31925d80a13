package io.limiter.engine;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that nothing waits beyond its time. One thread looks at all that is pending every twentieth of the budget,
 * while anything is, so a request costs no timer of its own. There is no thread while nothing is.
 *
 * <p>It ends what would be overdue before it looks again, so what it ends may end up to a twentieth early and never late.
 */
public final class Deadlines {

    private static final Logger log = LoggerFactory.getLogger(Deadlines.class);

    private static final long SHORTEST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int LOOKS_PER_BUDGET = 20;
    private static final int IDLE_SECONDS = 10;
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long budgetNanos;
    private final long intervalNanos;
    private final ScheduledThreadPoolExecutor thread;
    private final CopyOnWriteArrayList<Pool> pools = new CopyOnWriteArrayList<>();
    private final Queue<BoundedCall<?>> calls = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean starting = new AtomicBoolean();
    private volatile boolean looking;
    // The looking thread's.
    private long idleSinceNanos;

    Deadlines(Duration budget) {
        this.budgetNanos = budget.toNanos();
        this.intervalNanos =
                Math.max(SHORTEST_INTERVAL_NANOS, Math.min(LONGEST_INTERVAL_NANOS, budgetNanos / LOOKS_PER_BUDGET));
        this.thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "limiter-deadlines");
            thread.setDaemon(true);
            return thread;
        });
        thread.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
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
            // Closed: what is pending is failed by whoever has closed it.
            action.run();
        }
    }

    /** Looks no more; to be called when nothing is added any more. */
    void close() {
        endOverdue(System.nanoTime() + budgetNanos);
        thread.shutdown();
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
        } finally {
            starting.set(false);
        }
    }

    private void next() {
        try {
            thread.schedule(this::lookOnce, intervalNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // Closed, and everything was failed then.
            looking = true;
        }
    }

    private void lookOnce() {
        long now = System.nanoTime();
        boolean pending = true;
        try {
            pending = endOverdue(now + intervalNanos);
        } catch (RuntimeException | Error e) {
            log.error("What is overdue could not be ended; trying again.", e);
        }
        if (pending) {
            idleSinceNanos = now;
        } else if (now - idleSinceNanos >= IDLE_NANOS) {
            looking = false;
            // Read after that was written: whoever adds something does it the other way round.
            if (endOverdue(now)) {
                start();
            }
            return;
        }
        next();
    }

    private boolean endOverdue(long nowNanos) {
        boolean pending = false;
        for (Pool pool : pools) {
            pending |= pool.endOverdue(nowNanos);
        }
        BoundedCall<?> first;
        while ((first = calls.peek()) != null && (first.isDone() || first.isOverdue(nowNanos))) {
            first.expire();
            calls.remove(first);
        }
        return pending || first != null;
    }

    private static void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            log.error("A request could not be tried again.", e);
        }
    }
}
