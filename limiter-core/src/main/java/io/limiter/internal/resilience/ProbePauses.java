package io.limiter.internal.resilience;

import java.time.Duration;

/**
 * How long to wait before each probe of a backend that is away.
 *
 * <p>First a {@value #FIRST_PER_LONGEST}th of the longest pause, then twice as long each time: a pause of the network,
 * which looks like an outage, costs little more than itself. A backend that is away again within {@value #QUIET}
 * longest pauses goes on where it was, so one that comes and goes all the time does so no more than once in the longest.
 *
 * <p>Not safe for use by several threads. Times are by {@link System#nanoTime()}.
 */
final class ProbePauses {

    private static final int FIRST_PER_LONGEST = 16;
    private static final int QUIET = 10;

    private final long longestNanos;
    private long nextNanos;
    private boolean wasAway;
    private long backNanos;

    ProbePauses(Duration longest) {
        this.longestNanos = longest.toNanos();
    }

    void away(long nowNanos) {
        if (!wasAway || nowNanos - backNanos >= QUIET * longestNanos) {
            nextNanos = Math.max(1, longestNanos / FIRST_PER_LONGEST);
        }
        wasAway = true;
    }

    void back(long nowNanos) {
        backNanos = nowNanos;
    }

    long next() {
        long pause = nextNanos;
        nextNanos = Math.min(2 * pause, longestNanos);
        return pause;
    }
}
