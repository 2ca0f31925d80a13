package io.limiter.internal.time;

/** What is said once a minute at most, with a count of how often it was not. Safe for use by many threads. */
public final class OncePerMinute {

    /** Not to be said now. */
    public static final long NOT_NOW = -1;

    private static final long QUIET_NANOS = 60_000_000_000L;

    private boolean ever;
    private long saidNanos;
    private long unsaid;

    /**
     * To be called for each time that it could be said.
     *
     * @param nowNanos by {@link System#nanoTime()}
     * @return how often it was not said since the last time it was, or {@link #NOT_NOW}
     */
    public synchronized long unsaid(long nowNanos) {
        if (ever && nowNanos - saidNanos < QUIET_NANOS) {
            unsaid++;
            return NOT_NOW;
        }
        long before = unsaid;
        ever = true;
        saidNanos = nowNanos;
        unsaid = 0;
        return before;
    }
}
