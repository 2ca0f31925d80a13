package io.limiter.internal.statistics;

import io.limiter.LimiterListener;
import io.limiter.internal.time.OncePerMinute;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners what happens, on a thread of its own and in order. What they throw is logged, once a minute at most.
 *
 * <p>If they are slow, notices wait. There may be as many refusals as requests, so if {@value #MAX_WAITING} notices wait,
 * further refusals are dropped, which is logged once a minute. What is rare and changes a state is never dropped.
 */
public final class ListenerNotifier implements AutoCloseable {

    /** Without listeners. */
    public static final ListenerNotifier NONE = new ListenerNotifier(List.of());

    public static final int MAX_WAITING = 1024;

    private static final Logger log = LoggerFactory.getLogger(ListenerNotifier.class);
    private static final int IDLE_SECONDS = 10;

    private final List<LimiterListener> listeners;
    private final ThreadPoolExecutor thread;
    private final AtomicLong dropped = new AtomicLong();
    private final OncePerMinute dropping = new OncePerMinute();
    private final OncePerMinute failing = new OncePerMinute();

    public ListenerNotifier(List<LimiterListener> listeners) {
        this.listeners = List.copyOf(listeners);
        this.thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "limiter-listeners");
                    thread.setDaemon(true);
                    return thread;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    /** Whether somebody needs to be told of refusals. Allocates nothing. */
    boolean hearRefusals() {
        for (int i = 0; i < listeners.size(); i++) {
            if (listeners.get(i).hearsRefusals()) {
                return true;
            }
        }
        return false;
    }

    /** Tells all listeners, later; does not block. */
    public void tell(Consumer<LimiterListener> notice) {
        if (!listeners.isEmpty()) {
            run(() -> tellNow(notice));
        }
    }

    /** Runs what may block and must not hold up a decision, such as a line of log, after what was told before. */
    public void run(Runnable action) {
        try {
            thread.execute(action);
        } catch (RejectedExecutionException e) {
            // Closed: nobody is told any more.
            return;
        } catch (OutOfMemoryError e) {
            // There can be no thread for it now. Whoever decides goes on.
            dropped.incrementAndGet();
        }
    }

    /** As {@link #tell}, unless too much waits to be told already. */
    public void tellIfRoom(Consumer<LimiterListener> notice) {
        if (thread.getQueue().size() >= MAX_WAITING) {
            dropped.incrementAndGet();
        } else {
            tell(notice);
        }
    }

    private void tellNow(Consumer<LimiterListener> notice) {
        tellDropped();
        for (LimiterListener listener : listeners) {
            try {
                notice.accept(listener);
            } catch (RuntimeException | Error e) {
                long unsaid = failing.unsaid(System.nanoTime());
                if (unsaid != OncePerMinute.NOT_NOW) {
                    log.warn("A listener has failed, after {} failures that were not logged: {}", unsaid, listener, e);
                }
            }
        }
    }

    /** Here and not where they are dropped: those who decide do not wait for a log. */
    private void tellDropped() {
        if (dropped.get() > 0 && dropping.unsaid(System.nanoTime()) != OncePerMinute.NOT_NOW) {
            log.warn(
                    "Listeners are slower than what there is to tell: {} refusals were not told.",
                    dropped.getAndSet(0));
        }
    }

    /** Tells what is waiting, and no more. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
