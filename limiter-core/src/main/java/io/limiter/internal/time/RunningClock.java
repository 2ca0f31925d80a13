package io.limiter.internal.time;

import com.google.common.base.Ticker;

/**
 * A clock that stands still while this JVM is paused: in a long garbage collection, in a frozen container, or without
 * a processor. So a pause does not use up the time of requests whose replies may already be in the socket.
 *
 * <p>{@link #tick} is called regularly. The time between two ticks counts up to {@value #LONGEST_INTERVALS}
 * intervals; more than that was a pause. For a few ticks after a pause nothing is overdue, because the threads that
 * read the replies may get a processor later than the one that ticks. Time advances with each tick, and at least one
 * in a few judges, so nothing waits for ever even if every tick is late.
 *
 * <p>{@link #now} is safe for use by multiple threads; {@link #tick} is called by one thread.
 */
public final class RunningClock {

    private static final int LONGEST_INTERVALS = 5;
    private static final int GRACE_TICKS = 4;

    private final Ticker ticker;
    private final long longestNanos;
    private volatile Tick lastTick;
    // Confined to the ticking thread: for how many more ticks nothing is overdue.
    private int grace;

    /**
     * @param intervalNanos interval between two ticks
     */
    public RunningClock(Ticker ticker, long intervalNanos) {
        this.ticker = ticker;
        this.longestNanos = LONGEST_INTERVALS * intervalNanos;
        long now = ticker.read();
        this.lastTick = new Tick(now, now);
    }

    /** The time in nanoseconds; without ticks it advances by a few intervals at most. Never goes back. */
    public long now() {
        Tick last = lastTick;
        return last.runningNanos + counted(ticker.read() - last.tickerNanos);
    }

    /** Starts the clock. To be called before the first tick, not concurrently with {@link #tick}. */
    public void start() {
        lastTick = new Tick(now(), ticker.read());
        grace = 0;
    }

    /**
     * Advances the clock. To be called once in each interval.
     *
     * @return {@code false} if nothing may be ended as overdue now, because of a recent pause
     */
    public boolean tick() {
        Tick last = lastTick;
        long now = ticker.read();
        long passed = now - last.tickerNanos;
        lastTick = new Tick(last.runningNanos + counted(passed), now);
        if (grace > 0) {
            grace--;
        } else if (passed > longestNanos) {
            grace = GRACE_TICKS;
        }
        return grace == 0;
    }

    private long counted(long passedNanos) {
        return Math.max(0, Math.min(passedNanos, longestNanos));
    }

    /** The running time and the ticker's time at the last tick. */
    private record Tick(long runningNanos, long tickerNanos) {}
}
