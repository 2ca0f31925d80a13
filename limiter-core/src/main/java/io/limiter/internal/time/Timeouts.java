package io.limiter.internal.time;

import java.time.Duration;
import java.util.Objects;

/** Converts the timeouts of callers. */
public final class Timeouts {

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private Timeouts() {}

    /** In whole microseconds; a negative timeout counts as zero. */
    public static long micros(Duration timeout) {
        if (Objects.requireNonNull(timeout, "timeout").isNegative()) {
            return 0;
        }
        return (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos() / 1000;
    }
}
