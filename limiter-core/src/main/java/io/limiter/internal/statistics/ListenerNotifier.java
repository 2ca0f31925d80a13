package io.limiter.internal.statistics;

import io.limiter.LimitWarningEvent;
import io.limiter.LimiterListener;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.thread.LimiterThread;
import io.limiter.internal.time.Sleeper;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Notifies listeners of events, in order, on its own thread, except those that observe on the deciding threads. What listeners throw is logged, once a minute at most:
 * any {@code Throwable}, because code in other languages throws checked exceptions without declaring them.
 *
 * <p>Events for slow listeners are queued. There may be as many rejections as requests, so if {@value #MAX_WAITING} rejections and bans are
 * queued, further ones are dropped. A warning is the only one of its window, but callers who can invent keys have as many windows as they
 * like, so {@value #MAX_WARNINGS} of them are queued, and further ones are dropped. Both are logged once a minute. Changes of state are
 * rare and never dropped.
 */
public final class ListenerNotifier implements AutoCloseable {

    /** Without listeners. */
    public static final ListenerNotifier NONE = new ListenerNotifier(List.of());

    public static final int MAX_WAITING = 1024;

    /** A few megabytes. */
    public static final int MAX_WARNINGS = 10_000;

    private static final AsyncLog log = AsyncLog.of(ListenerNotifier.class);
    private static final int IDLE_SECONDS = 10;
    private static final int NO_THREAD_MICROS = 10_000;

    private final List<LimiterListener> listeners;
    private final ThreadPoolExecutor thread;
    private final Semaphore roomForRejections = new Semaphore(MAX_WAITING);
    private final Semaphore roomForWarnings = new Semaphore(MAX_WARNINGS);
    private final AtomicLong dropped = new AtomicLong();
    private final LogThrottle dropping = new LogThrottle();
    private final LogThrottle droppingWarnings = new LogThrottle();
    private final LogThrottle failing = new LogThrottle();

    public ListenerNotifier(List<LimiterListener> listeners) {
        this(listeners, LimiterThread.named("limiter-listeners"));
    }

    ListenerNotifier(List<LimiterListener> listeners, ThreadFactory threads) {
        this.listeners = listeners.stream()
                .filter(listener -> !(listener instanceof EngineObserver))
                .toList();
        this.thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        thread.allowCoreThreadTimeOut(true);
    }

    /** Whether any listener receives rejections; also if one throws, as by default. Allocates nothing. */
    boolean wantRejections() {
        for (int i = 0; i < listeners.size(); i++) {
            try {
                if (listeners.get(i).listensToRejections()) {
                    return true;
                }
            } catch (Throwable e) {
                log.warn(
                        failing,
                        "A listener has thrown, so rejections are reported to it. Listener: {}",
                        listeners.get(i),
                        e);
                return true;
            }
        }
        return false;
    }

    /** Queues an event for all listeners. Does not block, and fails the deciding thread in no case. */
    public void publish(Consumer<LimiterListener> event) {
        if (isNeeded()) {
            enqueue(() -> deliver(event));
        }
    }

    private boolean isNeeded() {
        return !listeners.isEmpty() && !thread.isShutdown();
    }

    private void enqueue(Runnable delivery) {
        // Before the thread is started, which may fail: the next event, or a timer, tries again.
        thread.getQueue().add(delivery);
        start();
    }

    /** Returns whether there is room, or no need for it. */
    private boolean publish(Consumer<LimiterListener> event, Semaphore room) {
        if (!isNeeded()) {
            return true;
        }
        boolean isRoom = room.tryAcquire();
        if (isRoom) {
            enqueue(() -> {
                room.release();
                deliver(event);
            });
        }
        return isRoom;
    }

    private void start() {
        try {
            thread.prestartCoreThread();
        } catch (OutOfMemoryError e) {
            startLater();
        }
    }

    private void startLater() {
        try {
            Sleeper.UNINTERRUPTIBLE.later(NO_THREAD_MICROS, this::start);
        } catch (OutOfMemoryError e) {
            // The next event tries again.
            log.warn(
                    failing,
                    "No thread could be started to notify listeners. They are notified with the next event.",
                    e);
        }
    }

    /** As {@link #publish}, but drops the event, a rejection or a ban, if too many of these are queued. */
    public void publishIfRoom(Consumer<LimiterListener> event) {
        if (!publish(event, roomForRejections)) {
            dropped.incrementAndGet();
        }
    }

    /** As {@link #publish}, but drops the event if too many warnings are queued. Returns {@code false} then. */
    public boolean publish(LimitWarningEvent warning) {
        boolean isRoom = publish(listener -> listener.onLimitWarning(warning), roomForWarnings);
        if (!isRoom) {
            log.warn(
                    droppingWarnings,
                    "Listeners are too slow: a warning of limiter '{}' was not reported to them, and will not be in its window."
                            + " Make them faster, or hand the work to another thread.",
                    warning.limiter());
        }
        return isRoom;
    }

    private void deliver(Consumer<LimiterListener> event) {
        logDropped();
        for (LimiterListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                log.warn(failing, "A listener has thrown, and does not get the event again. Listener: {}", listener, e);
            }
        }
    }

    private void logDropped() {
        if (dropped.get() > 0 && dropping.suppressed(1) != LogThrottle.NOT_NOW) {
            log.warn(
                    "Listeners are too slow: {} rejections were not reported to them. Make them faster, or hand the work to another thread.",
                    dropped.getAndSet(0));
        }
    }

    /** Delivers the queued events, and accepts no more. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
