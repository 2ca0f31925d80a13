package io.limiter.benchmark.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of all callers of one slice, and their latencies. A decision counts in the phase in which it arrives,
 * so as many are cut off at one end as are added at the other.
 */
final class CallerResults {

    /** In order. */
    enum Phase {
        WARM_UP,
        MEASURED,
        /** Still under load, while the meters are read. */
        COOL_DOWN,
        STOPPED
    }

    static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Further callers share histograms, so that these stay in the processor's cache. */
    private static final int HISTOGRAMS = 64;

    /** About how many answers are timed per second: in process, reading the clock would be most of the cost. */
    private static final double TIMED_PER_SECOND = 100_000;

    private final List<Caller> callers = new ArrayList<>();
    private final List<Histogram> histograms = new ArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Phase phase = Phase.WARM_UP;
    private volatile int timedMask;

    CallerResults(int numberOfCallers, int[] requests, @Nullable LimitCheck check) {
        for (int i = 0; i < Math.min(numberOfCallers, HISTOGRAMS); i++) {
            histograms.add(new ConcurrentHistogram(1, LONGEST_NANOS, 2));
        }
        for (int i = 0; i < numberOfCallers; i++) {
            callers.add(new Caller(this, i, requests, histograms.get(i % HISTOGRAMS), check));
        }
    }

    List<Caller> callers() {
        return callers;
    }

    Phase phase() {
        return phase;
    }

    void enter(Phase next) {
        phase = next;
    }

    /** A request is timed if its position has none of these bits: a power of two, less one. */
    int timedMask() {
        return timedMask;
    }

    /** Times fewer answers if many arrived in the warm-up. */
    void limitTimings(double warmUpSeconds) {
        double perSecond = count(Phase.WARM_UP, Caller.Answer.values()) / warmUpSeconds;
        timedMask = Math.max(1, Integer.highestOneBit((int) (perSecond / TIMED_PER_SECOND))) - 1;
    }

    /** Keeps the first failure. */
    void failed(Throwable e) {
        failure.compareAndSet(null, e);
    }

    @Nullable
    Throwable failure() {
        return failure.get();
    }

    /** The number of these answers that arrived in a phase. */
    long count(Phase in, Caller.Answer... answers) {
        long sum = 0;
        for (Caller caller : callers) {
            for (Caller.Answer answer : answers) {
                sum += caller.count(in, answer);
            }
        }
        return sum;
    }

    /** Nanoseconds from request to answer, of the timed requests. */
    Histogram latencies() {
        Histogram sum = new Histogram(1, LONGEST_NANOS, 2);
        histograms.forEach(sum::add);
        return sum;
    }
}
