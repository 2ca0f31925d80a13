package io.limiter.internal.time;

import com.google.common.base.Ticker;

/**
 * A clock that stands still while this JVM does: in a long garbage collection, in a frozen container, or when there is no
 * processor for it. By it a pause costs no request its time, whose reply may be in the socket already.
 *
 * <p>Something looks at it regularly. Time between two looks counts up to a few intervals, and what is beyond was a pause.
 * After one, the next few looks judge nothing, because those who read the replies may get a processor later than whoever
 * looks. Time goes on with each look, and one in a few judges, so nothing waits for ever where every look is late.
 *
 * <p>{@link #now} is safe for use by many threads.
 */
public final class RunningClock {

    private static final int LONGEST_INTERVALS = 5;
    private static final int LOOKS_AFTER_PAUSE = 4;

    private final Ticker ticker;
    private final long longestNanos;
    private volatile Seen seen;
    // Of the one who looks: how many looks judge nothing still.
    private int grace;

    /**
     * @param intervalNanos how often somebody looks
     */
    public RunningClock(Ticker ticker, long intervalNanos) {
        this.ticker = ticker;
        this.longestNanos = LONGEST_INTERVALS * intervalNanos;
        long now = ticker.read();
        this.seen = new Seen(now, now);
    }

    /** Goes on while nobody looks for a few intervals at most. Never goes back. */
    public long now() {
        Seen last = seen;
        return last.runningNanos + counted(ticker.read() - last.tickerNanos);
    }

    /** To be called before somebody begins to look, not while somebody does. */
    public void start() {
        seen = new Seen(now(), ticker.read());
        grace = 0;
    }

    /**
     * To be called once in an interval.
     *
     * @return whether what is overdue now has had its time
     */
    public boolean look() {
        Seen last = seen;
        long now = ticker.read();
        long passed = now - last.tickerNanos;
        seen = new Seen(last.runningNanos + counted(passed), now);
        if (grace > 0) {
            grace--;
        } else if (passed > longestNanos) {
            grace = LOOKS_AFTER_PAUSE;
        }
        return grace == 0;
    }

    private long counted(long passedNanos) {
        return Math.max(0, Math.min(passedNanos, longestNanos));
    }

    /** Both, of one moment. */
    private record Seen(long runningNanos, long tickerNanos) {}
}
