package io.limiter.internal.log;

import com.google.common.base.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Limits a log line to once a minute, and counts the events that were not logged. Safe for use by many threads. */
public final class LogThrottle {

    /** The line must not be logged now. */
    public static final long NOT_NOW = -1;

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final AtomicLong dueNanos;
    private final AtomicLong suppressed = new AtomicLong();

    public LogThrottle() {
        this(System::nanoTime);
    }

    public LogThrottle(Ticker ticker) {
        this(ticker::read);
    }

    public LogThrottle(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.dueNanos = new AtomicLong(nanoTime.getAsLong());
    }

    /**
     * Records events, of which the line describes one.
     *
     * @return the number of events since the line was last logged, without that one; or {@link #NOT_NOW}
     */
    public long suppressed(int events) {
        long now = nanoTime.getAsLong();
        long due = dueNanos.get();
        if (now - due >= 0 && dueNanos.compareAndSet(due, now + QUIET_NANOS)) {
            return suppressed.getAndSet(0) + events - 1;
        }
        suppressed.addAndGet(events);
        return NOT_NOW;
    }
}
