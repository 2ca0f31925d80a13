package io.limiter.engine;

import io.limiter.LimiterBackendException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the log of problems that somebody has to solve, once a minute for each kind of problem. */
final class Complaints {

    private static final Logger log = LoggerFactory.getLogger(Complaints.class);

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ConcurrentHashMap<String, Said> said = new ConcurrentHashMap<>();

    void about(LimiterBackendException failure) {
        Said last = said.computeIfAbsent(failure.problem(), problem -> new Said());
        long unsaid = last.unsaid(System.nanoTime());
        if (unsaid >= 0) {
            log.error(
                    "{} ({} more like this since it was last said; it is said once a minute at most)",
                    failure.getMessage(),
                    unsaid,
                    failure);
        }
    }

    /** When it was said last, and how often it was not. */
    private static final class Said {

        private boolean ever;
        private long atNanos;
        private long unsaid;

        /** How often it was not said since the last time; -1 if it is not to be said now either. */
        synchronized long unsaid(long nowNanos) {
            if (ever && nowNanos - atNanos < QUIET_NANOS) {
                unsaid++;
                return -1;
            }
            long before = unsaid;
            ever = true;
            atNanos = nowNanos;
            unsaid = 0;
            return before;
        }
    }
}
