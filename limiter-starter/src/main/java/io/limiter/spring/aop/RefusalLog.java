package io.limiter.spring.aop;

import io.limiter.algorithm.Decision;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what a limit refuses, or would refuse if it were enforced: the first refusal in a minute, and how many there were
 * since the last one told; and the same of calls that it cannot decide on, such as those without a key. It names no key,
 * which may be a person's. Safe for use by many threads.
 */
public final class RefusalLog {

    private static final Logger log = LoggerFactory.getLogger(RefusalLog.class);
    private static final long INTERVAL_NANOS = 60_000_000_000L;

    private final String where;
    private final boolean enforced;
    private final Lines refusals;
    private final Lines failures;

    /**
     * @param where the limit
     * @param enforced whether it does refuse
     */
    public RefusalLog(String where, boolean enforced, LongSupplier nanoTime) {
        this.where = where;
        this.enforced = enforced;
        this.refusals = new Lines(nanoTime);
        this.failures = new Lines(nanoTime);
    }

    public void refused(Decision decision) {
        if (refusals.isDue()) {
            Object retryAfter = decision.retryAfter().equals(Decision.NEVER) ? "never" : decision.retryAfter();
            log.info(
                    told() + " limit {}, remaining {}, retry after {}",
                    where,
                    refusals.untold(),
                    decision.limit(),
                    decision.remaining(),
                    retryAfter);
        }
    }

    /** As {@link #refused}, of a call that could not be decided on. */
    public void failed(Throwable failure) {
        if (failures.isDue()) {
            // What callers send can be part of it, and must not begin a line of its own.
            String text = failure.toString().replaceAll("\\p{Cntrl}", "?");
            log.info(told() + " {}", where, failures.untold(), text);
        }
    }

    private String told() {
        return enforced
                ? "{} has refused a call, and {} before it since the last such line:"
                : "{} would have refused a call, and {} before it since the last such line, if it were enforced:";
    }

    /** One a minute. */
    private static final class Lines {

        private final LongSupplier nanoTime;
        private final AtomicLong due;
        private final AtomicLong untold = new AtomicLong();

        Lines(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
            this.due = new AtomicLong(nanoTime.getAsLong());
        }

        boolean isDue() {
            long now = nanoTime.getAsLong();
            long at = due.get();
            boolean isDue = now - at >= 0 && due.compareAndSet(at, now + INTERVAL_NANOS);
            if (!isDue) {
                untold.incrementAndGet();
            }
            return isDue;
        }

        /** How many were not told since the last line. */
        long untold() {
            return untold.getAndSet(0);
        }
    }
}
