package io.limiter.internal.time;

import com.google.common.base.Ticker;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Logs events of one cause, one line a minute at most, on a thread that no caller depends on. Safe for use by multiple
 * threads.
 */
public final class ThrottledLog {

    private static final String LINE = "{} ({} more since the last such line, which is logged once a minute at most)";

    private final Logger log;
    private final Ticker ticker;
    private final LogThrottle throttle = new LogThrottle();

    public ThrottledLog(Logger log, Ticker ticker) {
        this.log = log;
        this.ticker = ticker;
    }

    /** Logs a warning. */
    public void warn(int events, Supplier<String> line) {
        log(events, more -> log.warn(LINE, line.get(), more));
    }

    /** Logs a warning about failures of the backend; with a stack trace only at level DEBUG. */
    public void warn(int events, Throwable failure, Supplier<String> line) {
        log(events, more -> log.warn(LINE, line.get(), more, log.isDebugEnabled() ? failure : null));
    }

    /** Logs an unexpected exception with its stack trace. */
    public void error(Throwable thrown, Supplier<String> line) {
        log(1, more -> log.error(LINE, line.get(), more, thrown));
    }

    private void log(int events, LongConsumer line) {
        long more = throttle.suppressed(ticker.read(), events);
        if (more != LogThrottle.NOT_NOW) {
            Timers.runOrDrop(() -> line.accept(more));
        }
    }
}
