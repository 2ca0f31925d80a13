package io.limiter.internal.limiter;

import java.time.Duration;
import java.util.Objects;

/** Converts the timeouts of callers. */
final class Timeouts {

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private Timeouts() {}

    /** In whole microseconds; a negative timeout counts as zero. */
    static long micros(Duration timeout) {
        if (Objects.requireNonNull(timeout, "timeout").isNegative()) {
            return 0;
        }
        return (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos() / 1000;
    }
}
