package io.limiter.benchmark.scale;

/** The circuit breaker of an instance: 5 failures of the last 10 outcomes open it, a probe that is answered closes it. */
final class Breaker {

    private static final int OUTCOMES = 10;
    private static final long FIRST_PAUSE_NANOS = 31_250_000;
    private static final long LONGEST_PAUSE_NANOS = 500_000_000;

    private final Timeline timeline;
    private final Shard probed;
    private int outcomes;
    private boolean open;

    Breaker(Timeline timeline, Shard probed) {
        this.timeline = timeline;
        this.probed = probed;
    }

    boolean isOpen() {
        return open;
    }

    /** The last outcomes are bits, the newest the lowest. */
    void outcome(boolean failed) {
        outcomes = (outcomes << 1 | (failed ? 1 : 0)) & (1 << OUTCOMES) - 1;
        if (!open && Integer.bitCount(outcomes) >= OUTCOMES / 2) {
            open = true;
            probeAfter(FIRST_PAUSE_NANOS);
        }
    }

    private void probeAfter(long pauseNanos) {
        timeline.at(timeline.nowNanos() + pauseNanos, () -> {
            probed.call(1, 1, serverMicros -> {}, () -> {
                open = false;
                outcomes = 0;
            });
            timeline.at(timeline.nowNanos() + LONGEST_PAUSE_NANOS / 5, () -> {
                if (open) {
                    probeAfter(Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos));
                }
            });
        });
    }
}
