package io.limiter.testing;

/**
 * How much random tests do: 20 times as much with {@code -Psoak} as in the everyday suite, or as many times as {@code -Dtest.times=}
 * says.
 */
public final class Steps {

    private static final int TIMES = Integer.getInteger("test.times", 1);

    private Steps() {}

    public static int of(int everyday) {
        return Math.multiplyExact(everyday, TIMES);
    }
}
