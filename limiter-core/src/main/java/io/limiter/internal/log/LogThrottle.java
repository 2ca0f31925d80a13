package io.limiter.internal.log;

/** Limits a log line to once a minute, and counts the events that were not logged. Thread-safe. */
public final class LogThrottle {

    /** The line must not be logged now. */
    public static final long NOT_NOW = -1;

    private static final long QUIET_NANOS = 60_000_000_000L;

    private boolean logged;
    private long loggedNanos;
    private long suppressed;

    /**
     * Records one event.
     *
     * @param nowNanos by {@link System#nanoTime()}
     * @return the number of events since the line was last logged, without this one; or {@link #NOT_NOW}
     */
    public long suppressed(long nowNanos) {
        return suppressed(nowNanos, 1);
    }

    /** As {@link #suppressed(long)}, for several events, of which the line describes one. */
    synchronized long suppressed(long nowNanos, int events) {
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
