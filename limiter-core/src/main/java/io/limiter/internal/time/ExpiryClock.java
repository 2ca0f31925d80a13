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

    private static final long WALL_INTERVAL_NANOS = 1_000_000;

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
        long now = monotonic.read();
        return new Deadline(now + nanos, wall.read() + nanos, now);
    }

    public final class Deadline {

        private final long monotonicNanos;
        private final long wallNanos;
        // The monotonic time at which the wall clock was last read; lost updates do no harm.
        private long wallReadNanos;

        private Deadline(long monotonicNanos, long wallNanos, long wallReadNanos) {
            this.monotonicNanos = monotonicNanos;
            this.wallNanos = wallNanos;
            this.wallReadNanos = wallReadNanos;
        }

        /** So much later than this one. */
        public Deadline plus(long nanos) {
            return new Deadline(monotonicNanos + nanos, wallNanos + nanos, wallReadNanos);
        }

        /** Microseconds left, rounded up; 0 if it is over. */
        public long leftMicros() {
            return isOver() ? 0 : (monotonicNanos - monotonic.read() + 999) / 1000;
        }

        /** Nanoseconds since this moment, by the monotonic clock. */
        public long agoNanos() {
            return monotonic.read() - monotonicNanos;
        }

        public boolean isOver() {
            return monotonic.read() - monotonicNanos >= 0 || wall.read() - wallNanos >= 0;
        }

        /**
         * As {@link #isOver}, but reads one clock nearly always: a pause that only the wall clock shows is noticed a
         * millisecond later at most.
         */
        public boolean isOverByMillis() {
            return leftNanosByMillis() <= 0;
        }

        /** Nanoseconds left by the monotonic clock; 0 or less if {@link #isOverByMillis}. */
        public long leftNanosByMillis() {
            long now = monotonic.read();
            long left = monotonicNanos - now;
            if (left <= 0 || now - wallReadNanos < WALL_INTERVAL_NANOS) {
                return left;
            }
            wallReadNanos = now;
            return wall.read() - wallNanos >= 0 ? 0 : left;
        }
    }
}
