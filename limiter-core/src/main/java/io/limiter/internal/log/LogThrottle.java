package io.limiter.internal.log;

import com.google.common.base.Ticker;

/** Limits a log line to once a minute, and counts the events that were not logged. Thread-safe. */
public final class LogThrottle {

    /** The line must not be logged now. */
    public static final long NOT_NOW = -1;

    private static final long QUIET_NANOS = 60_000_000_000L;

    private final Ticker ticker;
    private boolean logged;
    private long loggedNanos;
    private long suppressed;

    public LogThrottle() {
        this(Ticker.systemTicker());
    }

    public LogThrottle(Ticker ticker) {
        this.ticker = ticker;
    }

    /**
     * Records one event.
     *
     * @param nowNanos by {@link System#nanoTime()}
     * @return the number of events since the line was last logged, without this one; or {@link #NOT_NOW}
     */
    public long suppressed(long nowNanos) {
        return suppressed(nowNanos, 1);
    }

    /** Records events of which the line describes one. */
    long suppressedNow(int events) {
        return suppressed(ticker.read(), events);
    }

    private synchronized long suppressed(long nowNanos, int events) {
        if (logged && nowNanos - loggedNanos < QUIET_NANOS) {
            suppressed += events;
            return NOT_NOW;
        }
        long before = suppressed + events - 1;
        logged = true;
        loggedNanos = nowNanos;
        suppressed = 0;
        return before;
    }
}
