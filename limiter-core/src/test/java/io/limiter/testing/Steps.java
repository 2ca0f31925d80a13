package io.limiter.testing;

/**
 * How much random tests do: 20 times as much with {@code -Psoak} as in the everyday suite, or as many times as {@code -Dtest.times=}
 * says. The lock engine decides by the same steps in Java as the others and takes ten times as long, so in the everyday suite it does
 * a tenth.
 */
public final class Steps {

    private static final int TIMES = Integer.getInteger("test.times", 1);

    private Steps() {}

    public static int of(int everyday) {
        return Math.multiplyExact(everyday, TIMES);
    }

    /** A tenth, unless the run is a long one. */
    public static int underLock(int everyday) {
        return TIMES > 1 ? of(everyday) : Math.max(1, everyday / 10);
    }
}
