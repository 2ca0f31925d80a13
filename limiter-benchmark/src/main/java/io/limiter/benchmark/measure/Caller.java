package io.limiter.benchmark.measure;

import io.limiter.benchmark.measure.CallerResults.Phase;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A caller, which sends one request after the other; used by one thread at a time. */
final class Caller {

    /** The outcome of a request. */
    enum Answer {
        GRANTED,
        REJECTED,
        /** An exception. */
        FAILED
    }

    /** Stands for a request that is not timed. */
    static final long NOT_TIMED = Long.MIN_VALUE;

    private static final int PHASES = Phase.values().length;

    /** Longs before and after the counts, so that callers do not share a cache line. */
    private static final int PADDING = 16;

    private static final int ANSWERS = Answer.values().length;

    private final CallerResults results;
    private final int[] requests;
    private final Histogram latencies;
    private final @Nullable LimitCheck check;
    private final long[] counts = new long[PADDING + PHASES * ANSWERS + PADDING];
    private int position;
    private int lastId;

    /**
     * @param number from 0; callers begin at different places of the requests
     * @param requests the id of each request; its length is a power of two
     */
    Caller(CallerResults results, int number, int[] requests, Histogram latencies, @Nullable LimitCheck check) {
        this.results = results;
        this.requests = requests;
        this.latencies = latencies;
        this.check = check;
        this.position = number * 7919;
    }

    boolean stopped() {
        return results.phase() == Phase.STOPPED;
    }

    /** The id of the next request. */
    int nextId() {
        lastId = requests[position++ & (requests.length - 1)];
        return lastId;
    }

    /** When the request that is about to be made starts, or {@link #NOT_TIMED}. */
    long startNanos() {
        return (position & results.timedMask()) == 0 ? System.nanoTime() : NOT_TIMED;
    }

    void answered(boolean granted, long startNanos) {
        Phase phase = results.phase();
        if (startNanos != NOT_TIMED && phase == Phase.MEASURED) {
            latencies.recordValue(Math.min(Math.max(0, System.nanoTime() - startNanos), CallerResults.LONGEST_NANOS));
        }
        counts[at(phase, granted ? Answer.GRANTED : Answer.REJECTED)]++;
        if (granted && check != null) {
            check.granted(lastId);
        }
    }

    void failed(Throwable e) {
        counts[at(results.phase(), Answer.FAILED)]++;
        results.failed(e);
    }

    long count(Phase phase, Answer answer) {
        return counts[at(phase, answer)];
    }

    private static int at(Phase phase, Answer answer) {
        return PADDING + phase.ordinal() * ANSWERS + answer.ordinal();
    }
}
