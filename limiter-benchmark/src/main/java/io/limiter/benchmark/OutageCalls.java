package io.limiter.benchmark;

import io.limiter.algorithm.Decision;

/** The calls of one thread, in their order. Nothing is allocated while the thread makes them. */
final class OutageCalls {

    private static final Decision.Source[] SOURCES = Decision.Source.values();

    private final long[] returnedNanos;
    private final long[] tookNanos;
    private final byte[] source;
    private final boolean[] granted;
    private int size;

    OutageCalls(int most) {
        returnedNanos = new long[most];
        tookNanos = new long[most];
        source = new byte[most];
        granted = new boolean[most];
    }

    void add(long startNanos, long endNanos, Decision decision) {
        returnedNanos[size] = endNanos;
        tookNanos[size] = endNanos - startNanos;
        source[size] = (byte) decision.source().ordinal();
        granted[size] = decision.granted();
        size++;
    }

    /** Passes on those that returned from one time to before another. */
    void between(long fromNanos, long toNanos, Visitor visitor) {
        for (int i = 0; i < size; i++) {
            if (returnedNanos[i] - fromNanos >= 0 && returnedNanos[i] - toNanos < 0) {
                visitor.visit(tookNanos[i], SOURCES[source[i]], granted[i]);
            }
        }
    }

    interface Visitor {

        void visit(long tookNanos, Decision.Source source, boolean granted);
    }
}
