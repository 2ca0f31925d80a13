package io.limiter.testing;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.locks.LockSupport;

/** Waits for what other threads do. */
public final class Eventually {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long FIRST_PAUSE_NANOS = 100_000;
    private static final long LONGEST_PAUSE_NANOS = 20_000_000;

    private Eventually() {}

    /** Fails, or throws, as long as what it asserts does not hold. */
    @FunctionalInterface
    public interface Assertion {

        void check() throws Exception;
    }

    /** Tries again until it no longer fails, for as long as the slowest machine may need. What else it throws is thrown on. */
    public static void that(Assertion assertion) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long pauseNanos = FIRST_PAUSE_NANOS;
        while (true) {
            try {
                assertion.check();
                return;
            } catch (AssertionError | ConcurrentModificationException e) {
                // The latter where other threads still add to what is asserted.
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                // Leaves the processor to those that are waited for.
                LockSupport.parkNanos(pauseNanos);
                pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
