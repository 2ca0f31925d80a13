package io.limiter.internal.time;

import io.limiter.LimiterBackendException;
import io.limiter.internal.failure.BackendFailures;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs blocking calls on daemon threads, on behalf of callers that must not block. Starts up to {@value #MAX_THREADS}
 * threads on demand; idle threads end after ten seconds.
 *
 * <p>A call goes to the thread that became idle last. In the pools of the JDK it goes to the one that has been idle
 * for the longest time, so that a few calls a second keep all threads of a burst alive.
 */
public final class BlockingCalls implements Executor {

    public static final int MAX_THREADS = 64;

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String name;
    // Guarded by this, like all below: the last one became idle last.
    private final Deque<Worker> idle = new ArrayDeque<>();
    // Calls that wait because all threads are busy.
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int threads;
    private int started;
    private boolean shutDown;

    public BlockingCalls() {
        this("limiter-blocking-");
    }

    /**
     * @param name prefix of the threads' names
     */
    public BlockingCalls(String name) {
        this.name = name;
    }

    /**
     * @throws RejectedExecutionException if these threads were shut down
     * @throws OutOfMemoryError if no thread can be started
     */
    @Override
    public void execute(Runnable call) {
        Worker worker;
        synchronized (this) {
            if (shutDown) {
                throw new RejectedExecutionException("shut down");
            }
            worker = idle.pollLast();
            if (worker != null) {
                worker.next = call;
            } else if (threads == MAX_THREADS) {
                waiting.add(call);
                return;
            } else {
                threads++;
            }
        }
        if (worker == null) {
            start(call);
        } else {
            LockSupport.unpark(worker.thread);
        }
    }

    private void start(Runnable call) {
        boolean isStarted = false;
        try {
            new Worker(call).thread.start();
            isStarted = true;
        } finally {
            if (!isStarted) {
                synchronized (this) {
                    threads--;
                }
            }
        }
    }

    /** Accepts no more calls. Those that were accepted are still made. */
    public void shutdown() {
        List<Worker> ending;
        synchronized (this) {
            shutDown = true;
            ending = List.copyOf(idle);
        }
        ending.forEach(worker -> LockSupport.unpark(worker.thread));
    }

    /** The number of threads. */
    public synchronized int threads() {
        return threads;
    }

    /** The number of threads that have no call to make. */
    synchronized int idle() {
        return idle.size();
    }

    /** The number of calls that wait for a thread. */
    synchronized int waiting() {
        return waiting.size();
    }

    /**
     * Runs a blocking call on another thread.
     *
     * @return fails with the exception of the call, or with {@link LimiterBackendException} if these threads were
     *     shut down
     */
    public static <T> CompletableFuture<T> start(Executor blockingCalls, String key, Supplier<T> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            blockingCalls.execute(() -> {
                try {
                    answer.complete(call.get());
                } catch (RuntimeException | Error e) {
                    answer.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(BackendFailures.closed(key));
        }
        return answer;
    }

    private final class Worker implements Runnable {

        private final Thread thread;
        private volatile @Nullable Runnable next;

        Worker(Runnable first) {
            this.next = first;
            synchronized (BlockingCalls.this) {
                started++;
                this.thread = new Thread(this, name + started);
            }
            thread.setDaemon(true);
        }

        @Override
        public void run() {
            for (Runnable call = next; call != null; call = await()) {
                try {
                    call.run();
                } catch (RuntimeException | Error e) {
                    thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                }
            }
        }

        private @Nullable Runnable await() {
            synchronized (BlockingCalls.this) {
                next = waiting.poll();
                if (next == null) {
                    idle.addLast(this);
                }
            }
            long idleSinceNanos = System.nanoTime();
            while (next == null && !ends(System.nanoTime() - idleSinceNanos >= IDLE_NANOS)) {
                LockSupport.parkNanos(BlockingCalls.this, IDLE_NANOS);
                // A call may have left the thread interrupted, which could not park then.
                Thread.interrupted();
            }
            return next;
        }

        private boolean ends(boolean isTooLong) {
            synchronized (BlockingCalls.this) {
                // Not idle any more if it was given a call just now.
                boolean ends = (isTooLong || shutDown) && idle.remove(this);
                if (ends) {
                    threads--;
                }
                return ends;
            }
        }
    }
}
