package io.limiter.testing;

import java.util.Random;

/** The seed of the random tests: the same every time unless {@code -Dtest.seed=} names another. */
public final class Seed {

    private static final long DEFAULT = 20_250_101L;

    private Seed() {}

    public static long value() {
        return Long.getLong("test.seed", DEFAULT);
    }

    public static Random random() {
        return new Random(value());
    }

    /** For the description of an assertion. */
    public static String hint() {
        return "repeat with -Dtest.seed=" + value();
    }
}
