package io.limiter.internal.log;

import com.google.common.base.Ticker;
import java.util.function.Supplier;

/**
 * Logs events of one cause, one line a minute at most, on a thread that no caller depends on. Safe for use by multiple
 * threads.
 */
public final class ThrottledLog {

    private static final String LINE = "{} ({} more since the last such line, which is logged once a minute at most)";

    private final AsyncLog log;
    private final Ticker ticker;
    private final LogThrottle throttle = new LogThrottle();

    public ThrottledLog(AsyncLog log, Ticker ticker) {
        this.log = log;
        this.ticker = ticker;
    }

    /** Logs a warning. */
    public void warn(int events, Supplier<String> line) {
        long more = throttle.suppressed(ticker.read(), events);
        if (more != LogThrottle.NOT_NOW) {
            log.warn(LINE, line.get(), more);
        }
    }

    /** Logs a warning about failures of the backend. */
    public void warn(int events, Throwable failure, Supplier<String> line) {
        long more = throttle.suppressed(ticker.read(), events);
        if (more != LogThrottle.NOT_NOW) {
            log.warn(LINE, line.get(), more, failure);
        }
    }

    /** Logs an unexpected exception. */
    public void error(Throwable thrown, Supplier<String> line) {
        long more = throttle.suppressed(ticker.read(), 1);
        if (more != LogThrottle.NOT_NOW) {
            log.error(LINE, line.get(), more, thrown);
        }
    }
}
