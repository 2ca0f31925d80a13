package io.limiter.internal.waiting;

import io.limiter.internal.time.BlockingCalls;
import io.limiter.internal.time.InFlightCalls;
import io.limiter.internal.time.Sleeper;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * The waits of a factory's callers for permits. Closing it ends all of them immediately and returns their permits, because
 * nobody could use them any more. Safe for use by multiple threads.
 */
public final class Waits implements AutoCloseable {

    private static final long CLOSE_SECONDS = 1;

    private final Sleeper sleeper;
    private final Set<Wait> waits = ConcurrentHashMap.newKeySet();
    // Permits being returned, and decisions whose grant would have to be.
    private final InFlightCalls returns = new InFlightCalls();
    private volatile boolean closed;

    /** @param sleeper waits, and has the timers */
    public Waits(Sleeper sleeper) {
        this.sleeper = sleeper;
    }

    public Sleeper sleeper() {
        return sleeper;
    }

    /**
     * Sleeps until permits come due.
     *
     * @param giveUp returns them if this is closed before
     * @return {@code false} if this was closed before
     */
    public boolean sleep(long micros, Supplier<CompletableFuture<?>> giveUp) {
        Thread sleeping = Thread.currentThread();
        Wait wait = begin(() -> {
            returning(giveUp);
            LockSupport.unpark(sleeping);
        });
        sleeper.sleep(micros, wait::hasEnded);
        return wait.end();
    }

    /**
     * Begins a wait.
     *
     * @param whenClosed runs if this is closed before the wait ends, also if it was closed already
     */
    Wait begin(Runnable whenClosed) {
        Wait wait = new Wait(whenClosed);
        waits.add(wait);
        if (closed) {
            wait.close();
        }
        return wait;
    }

    /** Starts to return permits, or a decision that may grant some. Closing waits for it. */
    void returning(Supplier<CompletableFuture<?>> giveUp) {
        returns.begin(giveUp);
    }

    /** Ends all waits, on threads of their own, because callers' code may block; waits for at most one second until all have ended. */
    @Override
    public void close() {
        closed = true;
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        BlockingCalls threads = new BlockingCalls("limiter-closing-");
        waits.forEach(wait -> close(wait, threads));
        returns.await(deadlineNanos);
        threads.endIdleThreads();
    }

    private void close(Wait wait, BlockingCalls threads) {
        try {
            returns.begin(() -> CompletableFuture.runAsync(wait::close, threads));
        } catch (OutOfMemoryError e) {
            // No thread can be started.
            wait.close();
        }
    }

    /** The wait of one caller, or of a queue of callers. It ends once: by itself, or when all are closed. */
    final class Wait {

        private final Runnable whenClosed;
        private final AtomicBoolean ended = new AtomicBoolean();

        private Wait(Runnable whenClosed) {
            this.whenClosed = whenClosed;
        }

        boolean hasEnded() {
            return ended.get();
        }

        /** @return {@code false} if it was closed before */
        boolean end() {
            waits.remove(this);
            return ended.compareAndSet(false, true);
        }

        private void close() {
            if (end()) {
                whenClosed.run();
            }
        }
    }
}
