package io.limiter.faults.process;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Conditions that servers reach by themselves. */
public final class Awaited {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Awaited() {}

    /** What may be so, or fail because a server is not there yet. */
    @FunctionalInterface
    public interface Condition {
        boolean holds() throws IOException;
    }

    /**
     * Returns when it holds.
     *
     * @throws IOException if it never does
     */
    public static void await(Condition condition, String otherwise) throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (!holds(condition)) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new IOException(otherwise);
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static boolean holds(Condition condition) {
        try {
            return condition.holds();
        } catch (IOException e) {
            return false;
        }
    }
}
