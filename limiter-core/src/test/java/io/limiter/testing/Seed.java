package io.limiter.testing;

import java.util.Random;

/**
 * The seed of all random tests: the same every time, so that a build that passed passes again, unless
 * {@code -Dtest.seed=} names another. Printed by each test that fails.
 */
public final class Seed {

    public static final long VALUE = Long.getLong("test.seed", 20_250_101L);

    private Seed() {}

    public static Random random() {
        return new Random(VALUE);
    }

    public static String hint() {
        return "[-Dtest.seed=" + VALUE + "] ";
    }
}
