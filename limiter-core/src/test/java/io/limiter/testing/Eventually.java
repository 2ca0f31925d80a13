package io.limiter.testing;

import java.time.Duration;

/** What other threads are about to do. */
public final class Eventually {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Eventually() {}

    /** Tries again until it no longer fails, for as long as the slowest machine may need. */
    public static void that(Runnable assertion) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                assertion.run();
                return;
            } catch (AssertionError e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                Thread.onSpinWait();
                Thread.yield();
            }
        }
    }
}
