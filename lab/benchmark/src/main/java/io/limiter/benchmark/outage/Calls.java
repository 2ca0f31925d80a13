package io.limiter.benchmark.outage;

import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * The calls of one thread, in their order. Nothing is allocated while the thread makes them. Another thread can close the account, also
 * while a call waits for an answer that may never arrive.
 */
public final class Calls {

    private static final Answer[] ANSWERS = Answer.values();

    private final long[] calledNanos;
    private final long[] returnedNanos;
    private final byte[] answers;
    private int size;
    private boolean waiting;
    private boolean closed;
    private long lastOfRedisNanos;
    private boolean decidedByRedis;

    /** @param most how many calls there can be at most */
    public Calls(int most) {
        calledNanos = new long[most];
        returnedNanos = new long[most];
        answers = new byte[most];
    }

    public synchronized void begin(long nanos) {
        if (!closed) {
            calledNanos[size] = nanos;
            waiting = true;
        }
    }

    /** Ends the call that has begun last. An answer that arrives after the account was closed is left out. */
    public synchronized void end(long nanos, Answer answer) {
        if (!closed) {
            returnedNanos[size] = nanos;
            answers[size] = (byte) answer.ordinal();
            size++;
            waiting = false;
            if (answer.isOfRedis()) {
                lastOfRedisNanos = nanos;
                decidedByRedis = true;
            }
        }
    }

    /** A call that still waits has no answer, and no further call counts. */
    public synchronized void close(long nanos) {
        if (waiting) {
            end(nanos, Answer.NONE);
        }
        closed = true;
    }

    /** Whether Redis has decided a call that returned after this time. */
    synchronized boolean isDecidedByRedisAfter(long nanos) {
        return decidedByRedis && lastOfRedisNanos - nanos > 0;
    }

    /** Passes on each call that has ended. */
    void forEach(Consumer<Call> consumer) {
        forEach(i -> true, consumer);
    }

    /** Passes on those that returned from one time to before another. */
    public void returnedBetween(long fromNanos, long toNanos, Consumer<Call> consumer) {
        forEach(i -> returnedNanos[i] - fromNanos >= 0 && returnedNanos[i] - toNanos < 0, consumer);
    }

    private synchronized void forEach(IntPredicate which, Consumer<Call> consumer) {
        for (int i = 0; i < size; i++) {
            if (which.test(i)) {
                consumer.accept(new Call(calledNanos[i], returnedNanos[i], ANSWERS[answers[i]]));
            }
        }
    }
}
