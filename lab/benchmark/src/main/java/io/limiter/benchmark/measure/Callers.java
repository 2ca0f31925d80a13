package io.limiter.benchmark.measure;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one slice, their decisions and latencies. A decision counts in the phase in which it arrives, so as many are
 * cut off at one end as are added at the other.
 */
final class Callers {

    /** In order. */
    enum Phase {
        WARM_UP,
        MEASURED,
        /** Still under load, while the meters are read. */
        COOL_DOWN,
        STOPPED
    }

    /** The outcome of a request. */
    enum Answer {
        GRANTED,
        REJECTED,
        /** An exception. */
        FAILED
    }

    static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Stands for a request that is not timed. */
    private static final long NOT_TIMED = Long.MIN_VALUE;

    /** Further callers share histograms, so that these stay in the processor's cache. */
    private static final int HISTOGRAMS = 64;

    /** About how many answers are timed per second: in process, reading the clock would be most of the cost. */
    private static final double TIMED_PER_SECOND = 100_000;

    private final int[] requests;
    private final @Nullable LimitCheck check;
    private final List<Histogram> histograms;
    private final List<Caller> all;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Phase phase = Phase.WARM_UP;
    // A request is timed if its position has none of these bits: a power of two, less one.
    private volatile int timedMask;

    /**
     * @param requests the id of each request; its length is a power of two
     */
    Callers(int number, int[] requests, @Nullable LimitCheck check) {
        this.requests = requests;
        this.check = check;
        this.histograms = Stream.<Histogram>generate(() -> new ConcurrentHistogram(1, LONGEST_NANOS, 2))
                .limit(Math.min(number, HISTOGRAMS))
                .toList();
        this.all = IntStream.range(0, number)
                .mapToObj(i -> new Caller(i, histograms.get(i % HISTOGRAMS)))
                .toList();
    }

    List<Caller> all() {
        return all;
    }

    void enter(Phase next) {
        phase = next;
    }

    /** Times fewer answers if many arrived in the warm-up. */
    void limitTimings(double warmUpSeconds) {
        double perSecond = count(Phase.WARM_UP, Answer.values()) / warmUpSeconds;
        timedMask = Math.max(1, Integer.highestOneBit((int) (perSecond / TIMED_PER_SECOND))) - 1;
    }

    /** The first one. */
    @Nullable
    Throwable failure() {
        return failure.get();
    }

    /** The number of these answers that arrived in a phase. */
    long count(Phase in, Answer... answers) {
        long sum = 0;
        for (Caller caller : all) {
            for (Answer answer : answers) {
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

    /** Sends one request after the other; used by one thread at a time. */
    final class Caller {

        /** Longs before and after the counts, so that callers do not share a cache line. */
        private static final int PADDING = 16;

        private static final int PHASES = 4;
        private static final int ANSWERS = 3;

        private final Histogram latencies;
        private final long[] counts = new long[PADDING + PHASES * ANSWERS + PADDING];
        private int position;
        private int lastId;

        /** Callers begin at different places of the requests. */
        private Caller(int number, Histogram latencies) {
            this.latencies = latencies;
            this.position = number * 7919;
        }

        boolean stopped() {
            return phase == Phase.STOPPED;
        }

        /** The id of the next request. */
        int nextId() {
            lastId = requests[position++ & (requests.length - 1)];
            return lastId;
        }

        /** When the request that is about to be made starts, for {@link #answered}. */
        long startNanos() {
            return (position & timedMask) == 0 ? System.nanoTime() : NOT_TIMED;
        }

        void answered(boolean granted, long startNanos) {
            Phase arrived = phase;
            if (startNanos != NOT_TIMED && arrived == Phase.MEASURED) {
                latencies.recordValue(Math.min(Math.max(0, System.nanoTime() - startNanos), LONGEST_NANOS));
            }
            counts[at(arrived, granted ? Answer.GRANTED : Answer.REJECTED)]++;
            if (granted && check != null) {
                check.granted(lastId);
            }
        }

        void failed(Throwable e) {
            counts[at(phase, Answer.FAILED)]++;
            failure.compareAndSet(null, e);
        }

        long count(Phase in, Answer answer) {
            return counts[at(in, answer)];
        }

        private static int at(Phase in, Answer answer) {
            return PADDING + in.ordinal() * ANSWERS + answer.ordinal();
        }
    }
}
