package io.limiter.spring.internal.check;

import io.limiter.Decision;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import java.time.Duration;
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

    private final String where;
    private final boolean enforced;
    private final LogThrottle rejections;
    private final LogThrottle failures;

    /**
     * @param where names the limit
     * @param enforced whether the limit rejects; otherwise it is in shadow mode
     */
    public RejectionLog(String where, boolean enforced, LongSupplier nanoTime) {
        this(where, enforced, new LogThrottle(nanoTime), new LogThrottle(nanoTime));
    }

    private RejectionLog(String where, boolean enforced, LogThrottle rejections, LogThrottle failures) {
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
        long before = rejections.suppressed(1);
        if (before != LogThrottle.NOT_NOW) {
            String retryAfter = decision.retryAfter().map(Duration::toString).orElse("never");
            log.info(
                    begin() + " limit {}, remaining {}, retry after {}",
                    where,
                    before,
                    decision.limit(),
                    decision.remaining(),
                    retryAfter);
        }
    }

    /** Logs a call that could not be decided, as {@link #rejected} does. */
    public void failed(Throwable failure) {
        long before = failures.suppressed(1);
        if (before != LogThrottle.NOT_NOW) {
            log.info(begin() + " {}", where, before, AsyncLog.oneLine(failure.toString()));
        }
    }

    /** Logs a call whose permits could not be settled at its outcome, as {@link #rejected} does. */
    void notSettled(Throwable failure) {
        long before = failures.suppressed(1);
        if (before != LogThrottle.NOT_NOW) {
            log.warn(
                    "A call stays charged for the permits that it took, and {} before it since the last such line, because they could not be settled: {} {}",
                    before,
                    where,
                    AsyncLog.oneLine(failure.toString()));
        }
    }

    private String begin() {
        return enforced
                ? "{} has rejected a call, and {} before it since the last such line:"
                : "{} would have rejected a call, and {} before it since the last such line, if it were enforced:";
    }
}
