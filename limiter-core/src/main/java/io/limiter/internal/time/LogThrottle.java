package io.limiter.internal.time;

/** Limits a log line to once a minute, and counts the suppressed ones. Safe for use by multiple threads. */
public final class LogThrottle {

    /** The line must not be logged now. */
    public static final long NOT_NOW = -1;

    private static final long QUIET_NANOS = 60_000_000_000L;

    private boolean logged;
    private long loggedNanos;
    private long suppressed;

    /**
     * Records an occasion to log.
     *
     * @param nowNanos by {@link System#nanoTime()}
     * @return how many occasions were suppressed since the line was last logged, or {@link #NOT_NOW}
     */
    public synchronized long suppressed(long nowNanos) {
        if (logged && nowNanos - loggedNanos < QUIET_NANOS) {
            suppressed++;
            return NOT_NOW;
        }
        long before = suppressed;
        logged = true;
        loggedNanos = nowNanos;
        suppressed = 0;
        return before;
    }
}
