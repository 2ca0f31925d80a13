package io.limiter.benchmark.measure;

import io.limiter.Decision;
import io.limiter.benchmark.measure.Slice.Latency;
import io.limiter.faults.account.Excess;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one run and their decisions, in the order in which they are sent, which is the order in which they arrive. Times are in
 * nanoseconds from the start of the run, when all buckets are full. A thread sends the requests, and any thread may answer each of them.
 */
final class FleetAccount {

    private static final long ANSWER_SECONDS = 30;

    private final int[] keys;
    private final long[] dueNanos;
    private final long[] sentNanos;
    private final long[] answeredNanos;
    private final boolean[] granted;
    private final boolean[] prefetched;
    private final CountDownLatch unanswered;
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * @param keys the key of each request, from 0
     * @param dueNanos when each request arrives
     */
    FleetAccount(int[] keys, long[] dueNanos) {
        this.keys = keys;
        this.dueNanos = dueNanos;
        this.sentNanos = new long[keys.length];
        this.answeredNanos = new long[keys.length];
        this.granted = new boolean[keys.length];
        this.prefetched = new boolean[keys.length];
        this.unanswered = new CountDownLatch(keys.length);
    }

    /** To be called for each request before it is sent. */
    void sent(int request, long nanos) {
        sentNanos[request] = nanos;
    }

    /** To be called once for each request. */
    void answered(int request, long nanos, Decision decision) {
        answeredNanos[request] = nanos;
        granted[request] = decision.isGranted();
        prefetched[request] = decision.source() == Decision.Source.PREFETCH;
        unanswered.countDown();
    }

    /** To be called instead of {@link #answered} if there is no decision. */
    void failed(Throwable error) {
        failure.compareAndSet(null, error);
        failed.incrementAndGet();
        unanswered.countDown();
    }

    /**
     * Returns when all requests are answered, which the figures need.
     *
     * @throws IllegalStateException if that takes too long, or a request fails
     */
    void awaitAnswers() throws InterruptedException {
        if (!unanswered.await(ANSWER_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    unanswered.getCount() + " requests were not answered within " + ANSWER_SECONDS + " s");
        }
        if (failed.get() > 0) {
            throw new IllegalStateException(failed.get() + " requests have failed", failure.get());
        }
    }

    /** From the arrival to the decision, of this request and all later ones. */
    Latency latency(int first) {
        Histogram nanos = new Histogram(1, Callers.LONGEST_NANOS, 3);
        for (int i = first; i < keys.length; i++) {
            nanos.recordValue(Math.min(Math.max(1, answeredNanos[i] - dueNanos[i]), Callers.LONGEST_NANOS));
        }
        return Latency.of(nanos);
    }

    /** The part of this request and all later ones that prefetched permits decided, or the fact that these were used up. */
    double prefetched(int first) {
        return share(first, i -> prefetched[i]);
    }

    /** Grants among this request and all later ones, for each grant that one bucket for all instances would have made. */
    double grantedOfPossible(int first, double capacity, double permitsPerSecond) {
        Buckets one = new Buckets(capacity, permitsPerSecond);
        long possible = 0;
        long actual = 0;
        for (int i = 0; i < keys.length; i++) {
            boolean isPossible = one.stored(keys[i], dueNanos[i]) >= 1;
            if (isPossible) {
                one.take(keys[i], dueNanos[i]);
            }
            if (i >= first) {
                possible += isPossible ? 1 : 0;
                actual += granted[i] ? 1 : 0;
            }
        }
        return (double) actual / possible;
    }

    /**
     * The part of this request and all later ones that was rejected although one bucket for all instances, from which the same grants had
     * been taken, would have had a permit. Another instance holds it then, or it is lost, or a cached rejection lasts until a moment that
     * counts from its answer. Because it is only known that a decision was made between the request and its answer, grants count from
     * their request on, and the bucket has no refill since the request that was rejected.
     */
    double rejectedEarly(int first, double capacity, double permitsPerSecond) {
        Buckets one = new Buckets(capacity, permitsPerSecond);
        boolean[] early = new boolean[keys.length];
        int next = 0;
        int[] rejections = IntStream.range(0, keys.length)
                .filter(i -> !granted[i])
                .boxed()
                .sorted(Comparator.comparingLong(i -> answeredNanos[i]))
                .mapToInt(Integer::intValue)
                .toArray();
        for (int rejection : rejections) {
            for (; next < keys.length && sentNanos[next] <= answeredNanos[rejection]; next++) {
                if (granted[next]) {
                    one.take(keys[next], sentNanos[next]);
                }
            }
            early[rejection] = one.stored(keys[rejection], sentNanos[rejection]) >= 1;
        }
        return share(first, i -> early[i]);
    }

    private double share(int first, IntPredicate counted) {
        return IntStream.range(first, keys.length)
                .mapToDouble(i -> counted.test(i) ? 1 : 0)
                .average()
                .orElse(Double.NaN);
    }

    /** The most that a key was granted in any time beyond its refill in that time. A bucket allows its capacity. */
    double mostAboveRefill(double permitsPerSecond) {
        return IntStream.range(0, keys.length)
                .filter(i -> granted[i])
                .boxed()
                .collect(Collectors.groupingBy(
                        i -> keys[i],
                        Collectors.mapping(i -> new Grant(sentNanos[i], answeredNanos[i]), Collectors.toList())))
                .values()
                .stream()
                .mapToDouble(grants -> Excess.of(0, permitsPerSecond * LimitCheck.CLOCK_TOLERANCE, grants))
                .max()
                .orElse(0);
    }

    private record Grant(long calledNanos, long returnedNanos) implements Excess.NanosGrant {}

    /** Buckets of all keys, full at first. Times of a key may go back, and then less is refilled. */
    private final class Buckets {

        private final double capacity;
        private final double perNano;
        private final double[] stored;
        private final long[] filledNanos;

        Buckets(double capacity, double permitsPerSecond) {
            int numberOfKeys = Arrays.stream(keys).max().orElse(0) + 1;
            this.capacity = capacity;
            this.perNano = permitsPerSecond / 1e9;
            this.stored = new double[numberOfKeys];
            this.filledNanos = new long[numberOfKeys];
            Arrays.fill(stored, capacity);
        }

        double stored(int key, long nanos) {
            return Math.min(capacity, stored[key] + perNano * (nanos - filledNanos[key]));
        }

        void take(int key, long nanos) {
            stored[key] = stored(key, nanos) - 1;
            filledNanos[key] = nanos;
        }
    }
}
