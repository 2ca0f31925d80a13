package io.limiter.internal.statistics;

import io.limiter.LimiterListener;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.thread.LimiterThread;
import io.limiter.internal.time.Sleeper;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Notifies listeners of events, in order, on its own thread, except those that observe on the deciding threads. What listeners throw is logged, once a minute at most:
 * any {@code Throwable}, because code in other languages throws checked exceptions without declaring them.
 *
 * <p>Events for slow listeners are queued. There may be as many rejections as requests, so if {@value #MAX_WAITING}
 * events are queued, further rejections are dropped, which is logged once a minute. Changes of state are rare and
 * never dropped.
 */
public final class ListenerNotifier implements AutoCloseable {

    /** Without listeners. */
    public static final ListenerNotifier NONE = new ListenerNotifier(List.of());

    public static final int MAX_WAITING = 1024;

    private static final AsyncLog log = AsyncLog.of(ListenerNotifier.class);
    private static final int IDLE_SECONDS = 10;
    private static final int NO_THREAD_MICROS = 10_000;

    private final List<LimiterListener> listeners;
    private final ThreadPoolExecutor thread;
    private final AtomicLong dropped = new AtomicLong();
    private final LogThrottle dropping = new LogThrottle();
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
        if (listeners.isEmpty() || thread.isShutdown()) {
            return;
        }
        // Before the thread is started, which may fail: the next event, or a timer, tries again.
        thread.getQueue().add(() -> deliver(event));
        start();
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

    /** As {@link #publish}, but drops the event if too many are queued. */
    public void publishIfRoom(Consumer<LimiterListener> event) {
        if (thread.getQueue().size() >= MAX_WAITING) {
            dropped.incrementAndGet();
        } else {
            publish(event);
        }
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
