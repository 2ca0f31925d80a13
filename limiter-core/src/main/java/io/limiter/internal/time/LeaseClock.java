package io.limiter.internal.time;

import com.google.common.base.Ticker;

/**
 * Measures how long something has been held, pauses included. The monotonic clock goes on while a process is stopped but
 * may stand still while the whole machine sleeps, and the wall clock can be set back; the longer of the two counts.
 */
public final class LeaseClock {

    private static final Ticker WALL = new Ticker() {
        @Override
        public long read() {
            return System.currentTimeMillis() * 1_000_000;
        }
    };

    private final Ticker monotonic;
    private final Ticker wall;

    public LeaseClock() {
        this(Ticker.systemTicker(), WALL);
    }

    public LeaseClock(Ticker monotonic) {
        this(monotonic, WALL);
    }

    public LeaseClock(Ticker monotonic, Ticker wall) {
        this.monotonic = monotonic;
        this.wall = wall;
    }

    /** A time from now, in nanoseconds. */
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
