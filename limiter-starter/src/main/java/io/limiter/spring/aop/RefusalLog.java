package io.limiter.spring.aop;

import io.limiter.algorithm.Decision;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what a limit refuses, or would refuse if it were enforced: the first refusal in a minute, and how many there were
 * since the last one told. It names no key, which may be a person's. Safe for use by many threads.
 */
public final class RefusalLog {

    private static final Logger log = LoggerFactory.getLogger(RefusalLog.class);
    private static final long INTERVAL_NANOS = 60_000_000_000L;

    private final String where;
    private final boolean enforced;
    private final LongSupplier nanoTime;
    private final AtomicLong due;
    private final AtomicLong untold = new AtomicLong();

    /**
     * @param where the limit
     * @param enforced whether it does refuse
     */
    public RefusalLog(String where, boolean enforced, LongSupplier nanoTime) {
        this.where = where;
        this.enforced = enforced;
        this.nanoTime = nanoTime;
        this.due = new AtomicLong(nanoTime.getAsLong());
    }

    public void refused(Decision decision) {
        if (isDue()) {
            Object retryAfter = decision.retryAfter().equals(Decision.NEVER) ? "never" : decision.retryAfter();
            log.info(
                    told() + " limit {}, remaining {}, retry after {}",
                    where,
                    untold.getAndSet(0),
                    decision.limit(),
                    decision.remaining(),
                    retryAfter);
        }
    }

    /** As {@link #refused}, of a call that could not be decided on. */
    public void failed(Throwable failure) {
        if (isDue()) {
            log.info(told() + " {}", where, untold.getAndSet(0), failure.toString());
        }
    }

    private String told() {
        return enforced
                ? "{} has refused a call, and {} before it since the last such line:"
                : "{} would have refused a call, and {} before it since the last such line, if it were enforced:";
    }

    private boolean isDue() {
        long now = nanoTime.getAsLong();
        long at = due.get();
        boolean isDue = now - at >= 0 && due.compareAndSet(at, now + INTERVAL_NANOS);
        if (!isDue) {
            untold.incrementAndGet();
        }
        return isDue;
    }
}
