package io.limiter.internal.resilience;

import java.time.Duration;

/**
 * Computes the pauses between probes of an unavailable backend.
 *
 * <p>The first pause is a {@value #FIRST_PER_LONGEST}th of the longest one, and each further one is twice as long: a
 * short interruption of the network costs little more than itself. If the backend fails again within {@value #QUIET}
 * longest pauses, the sequence continues, so a flapping backend is probed no more than once in the longest pause.
 *
 * <p>Not thread-safe. Times are those of {@link System#nanoTime()}.
 */
final class ProbePauses {

    private static final int FIRST_PER_LONGEST = 16;
    private static final int QUIET = 10;

    private final long longestNanos;
    private long nextNanos;
    private boolean wasUnavailable;
    private long recoveredNanos;

    ProbePauses(Duration longest) {
        this.longestNanos = longest.toNanos();
    }

    void unavailable(long nowNanos) {
        if (!wasUnavailable || nowNanos - recoveredNanos >= QUIET * longestNanos) {
            nextNanos = Math.max(1, longestNanos / FIRST_PER_LONGEST);
        }
        wasUnavailable = true;
    }

    void recovered(long nowNanos) {
        recoveredNanos = nowNanos;
    }

    long next() {
        long pause = nextNanos;
        nextNanos = Math.min(2 * pause, longestNanos);
        return pause;
    }
}
