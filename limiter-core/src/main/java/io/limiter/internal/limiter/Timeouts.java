package io.limiter.internal.limiter;

import java.time.Duration;

/** Timeouts as requests have them. */
final class Timeouts {

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private Timeouts() {}

    /** Whole microseconds; a negative timeout is none. */
    static long micros(Duration timeout) {
        if (timeout.isNegative()) {
            return 0;
        }
        return (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos() / 1000;
    }
}
