package io.limiter.testing;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Atomic steps in two: read, then write what may not be true any more. For {@link PlantedRace}. */
public final class SplitSteps {

    private SplitSteps() {}

    public static boolean compareAndSet(AtomicInteger value, int expected, int newValue) {
        boolean equal = value.get() == expected;
        if (equal) {
            value.set(newValue);
        }
        return equal;
    }

    public static boolean compareAndSet(AtomicLong value, long expected, long newValue) {
        boolean equal = value.get() == expected;
        if (equal) {
            value.set(newValue);
        }
        return equal;
    }

    public static boolean compareAndSet(AtomicBoolean value, boolean expected, boolean newValue) {
        boolean equal = value.get() == expected;
        if (equal) {
            value.set(newValue);
        }
        return equal;
    }

    public static int addAndGet(AtomicInteger value, int delta) {
        int sum = value.get() + delta;
        value.set(sum);
        return sum;
    }
}
