package io.limiter.engine;

import io.limiter.LimiterListener;
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
 * Tells listeners what happens, on a thread of its own and in order. What they throw is logged. If they are slow, notices
 * wait, but no more than {@value #MAX_WAITING}: further ones are dropped, which is logged.
 */
public final class Notices implements AutoCloseable {

    /** Without listeners. */
    static final Notices NONE = new Notices(List.of());

    static final int MAX_WAITING = 1024;

    private static final Logger log = LoggerFactory.getLogger(Notices.class);
    private static final int IDLE_SECONDS = 10;

    private final List<LimiterListener> listeners;
    private final ThreadPoolExecutor thread;
    private final AtomicLong dropped = new AtomicLong();

    public Notices(List<LimiterListener> listeners) {
        this.listeners = List.copyOf(listeners);
        this.thread = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING), task -> {
                    Thread thread = new Thread(task, "limiter-listeners");
                    thread.setDaemon(true);
                    return thread;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    /** Whether there is nobody to tell. */
    boolean isEmpty() {
        return listeners.isEmpty();
    }

    /** Tells all listeners, later; does not block. */
    public void tell(Consumer<LimiterListener> notice) {
        if (listeners.isEmpty()) {
            return;
        }
        if (thread.getQueue().remainingCapacity() == 0) {
            // A rejection would be an exception, which costs those who decide more than all the rest.
            drop();
            return;
        }
        try {
            thread.execute(() -> tellNow(notice));
        } catch (RejectedExecutionException e) {
            drop();
        }
    }

    private void drop() {
        if (!thread.isShutdown() && dropped.getAndIncrement() == 0) {
            log.warn("Listeners are slower than what there is to tell; some of it is dropped.");
        }
    }

    private void tellNow(Consumer<LimiterListener> notice) {
        long lost = dropped.getAndSet(0);
        if (lost > 0) {
            log.warn("{} notices were dropped, because listeners were too slow.", lost);
        }
        for (LimiterListener listener : listeners) {
            try {
                notice.accept(listener);
            } catch (RuntimeException | Error e) {
                log.warn("A listener has failed: {}", listener, e);
            }
        }
    }

    /** Tells what is waiting, and no more. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
