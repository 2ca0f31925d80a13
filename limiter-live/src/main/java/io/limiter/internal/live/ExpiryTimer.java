package io.limiter.internal.live;

import io.limiter.internal.thread.LimiterThread;
import io.limiter.internal.thread.TimerThread;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends live limits when their time is over, on a daemon thread of its own, because the thread that polls may wait for Redis just
 * then. There is no thread while no live limit expires.
 */
final class ExpiryTimer {

    private final Runnable expire;
    // Guarded by the monitor of this.
    private @Nullable TimerThread timer;
    private @Nullable Future<?> next;
    private boolean closed;

    /** @param expire ends what has expired, and says how long until the next one by {@link #in} */
    ExpiryTimer(Runnable expire) {
        this.expire = expire;
    }

    /**
     * Sets how long until the next live limit expires.
     *
     * @param micros {@link Long#MAX_VALUE} if none does
     */
    synchronized void in(long micros) {
        if (next != null) {
            next.cancel(false);
            next = null;
        }
        if (closed || micros == Long.MAX_VALUE) {
            return;
        }
        TimerThread used = timer;
        if (used == null) {
            used = new TimerThread(LimiterThread.named("limiter-live-expiry"));
            timer = used;
        }
        // At least a millisecond, because the clock of Redis may differ a little.
        next = used.schedule(expire, Math.max(1_000, micros), TimeUnit.MICROSECONDS);
    }

    /** Expires nothing any more. */
    synchronized void close() {
        closed = true;
        stop();
    }

    /** Expires nothing until {@link #in} is called again. */
    synchronized void stop() {
        next = null;
        if (timer != null) {
            timer.shutdownNow();
            timer = null;
        }
    }
}
