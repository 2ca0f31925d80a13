package io.limiter.spring.check;

import io.limiter.algorithm.Decision;
import io.limiter.internal.log.AsyncLog;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the rejections of a limit, also in shadow mode: the first in a minute, with the count since the last line. Calls that
 * cannot be decided, such as those without a key, are logged likewise. No key is logged, because it may identify a person.
 * Safe for use by many threads.
 */
public final class RejectionLog {

    private static final Logger log = LoggerFactory.getLogger(RejectionLog.class);
    private static final long INTERVAL_NANOS = 60_000_000_000L;

    private final String where;
    private final boolean enforced;
    private final Interval rejections;
    private final Interval failures;

    /**
     * @param where names the limit
     * @param enforced whether the limit rejects; otherwise it is in shadow mode
     */
    public RejectionLog(String where, boolean enforced, LongSupplier nanoTime) {
        this(where, enforced, new Interval(nanoTime), new Interval(nanoTime));
    }

    private RejectionLog(String where, boolean enforced, Interval rejections, Interval failures) {
        this.where = where;
        this.enforced = enforced;
        this.rejections = rejections;
        this.failures = failures;
    }

    /** The log of the same limit in another mode. Both together log the first in a minute. */
    public RejectionLog inMode(boolean newEnforced) {
        return newEnforced == enforced ? this : new RejectionLog(where, newEnforced, rejections, failures);
    }

    public void rejected(Decision decision) {
        if (rejections.isDue()) {
            String retryAfter = decision.retryAfter().map(Duration::toString).orElse("never");
            log.info(
                    begin() + " limit {}, remaining {}, retry after {}",
                    where,
                    rejections.takeSkipped(),
                    decision.limit(),
                    decision.remaining(),
                    retryAfter);
        }
    }

    /** Logs a call that could not be decided, as {@link #rejected} does. */
    public void failed(Throwable failure) {
        if (failures.isDue()) {
            log.info(begin() + " {}", where, failures.takeSkipped(), AsyncLog.oneLine(failure.toString()));
        }
    }

    private String begin() {
        return enforced
                ? "{} has rejected a call, and {} before it since the last such line:"
                : "{} would have rejected a call, and {} before it since the last such line, if it were enforced:";
    }

    /** Lets one line pass each minute. */
    private static final class Interval {

        private final LongSupplier nanoTime;
        private final AtomicLong due;
        private final AtomicLong skipped = new AtomicLong();

        Interval(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
            this.due = new AtomicLong(nanoTime.getAsLong());
        }

        boolean isDue() {
            long now = nanoTime.getAsLong();
            long at = due.get();
            boolean isDue = now - at >= 0 && due.compareAndSet(at, now + INTERVAL_NANOS);
            if (!isDue) {
                skipped.incrementAndGet();
            }
            return isDue;
        }

        /** Returns how many were skipped since the last line, and starts again at 0. */
        long takeSkipped() {
            return skipped.getAndSet(0);
        }
    }
}
