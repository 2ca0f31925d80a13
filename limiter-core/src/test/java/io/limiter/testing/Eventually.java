package io.limiter.testing;

import java.time.Duration;
import java.util.ConcurrentModificationException;

/** Waits for what other threads do. */
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
            } catch (AssertionError | ConcurrentModificationException e) {
                // The latter where other threads still add to what is asserted.
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                Thread.onSpinWait();
                Thread.yield();
            }
        }
    }
}
