package io.limiter.internal.time;

import com.google.common.base.Ticker;

/**
 * Measures whether a time has passed, pauses of the process included. The monotonic clock may stand still while the
 * machine sleeps, and the wall clock can be set back; whichever passes first counts.
 */
public final class ExpiryClock {

    private static final Ticker WALL = new Ticker() {
        @Override
        public long read() {
            return System.currentTimeMillis() * 1_000_000;
        }
    };

    private final Ticker monotonic;
    private final Ticker wall;

    public ExpiryClock() {
        this(Ticker.systemTicker(), WALL);
    }

    public ExpiryClock(Ticker monotonic) {
        this(monotonic, WALL);
    }

    public ExpiryClock(Ticker monotonic, Ticker wall) {
        this.monotonic = monotonic;
        this.wall = wall;
    }

    /** The moment that is so many nanoseconds from now. */
    public Deadline in(long nanos) {
        return new Deadline(monotonic.read() + nanos, wall.read() + nanos);
    }

    public final class Deadline {

        private final long monotonicNanos;
        private final long wallNanos;

        private Deadline(long monotonicNanos, long wallNanos) {
            this.monotonicNanos = monotonicNanos;
            this.wallNanos = wallNanos;
        }

        public boolean isOver() {
            return monotonic.read() - monotonicNanos >= 0 || wall.read() - wallNanos >= 0;
        }
    }
}
