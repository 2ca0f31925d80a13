package io.limiter.benchmark.scale;

import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.live.KnownInstances;
import io.limiter.step.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A fleet whose instances count each other in Redis, and what they grant without Redis. In virtual time; one seed gives one
 * result.
 */
final class CountedFleet {

    static final long SECOND_NANOS = 1_000_000_000;

    private static final long POLL_NANOS = SECOND_NANOS;
    private static final double JITTER = 0.2;
    private static final long EVERY_NANOS = KnownInstances.EVERY.toNanos();
    private static final long COUNTS_NANOS =
            KnownInstances.counts(Duration.ofNanos(POLL_NANOS)).toNanos();
    private static final long TICK_NANOS = SECOND_NANOS / 10;

    private final SplittableRandom random;
    private final Timeline timeline = new Timeline();
    private final Map<Instance, Long> countUntil = new HashMap<>();
    private final List<Instance> instances = new ArrayList<>();
    private final int expected;
    private boolean lost;

    /** @param expected how many instances each expects at least */
    CountedFleet(long seed, int expected) {
        this.random = new SplittableRandom(seed);
        this.expected = expected;
    }

    /** Starts so many, the first at a time and the last at another. */
    void start(int count, long fromNanos, long toNanos) {
        spread(count, fromNanos, toNanos, () -> {
            Instance started = new Instance();
            instances.add(started);
            started.poll();
        });
    }

    /** Ends as many of those that have run for longest, likewise. */
    void end(int count, long fromNanos, long toNanos) {
        spread(count, fromNanos, toNanos, () -> countUntil.remove(oldest()));
    }

    /** The same, without a word to Redis. */
    void kill(int count, long atNanos) {
        spread(count, atNanos, atNanos, this::oldest);
    }

    private void spread(int count, long fromNanos, long toNanos, Runnable each) {
        for (int i = 0; i < count; i++) {
            timeline.at(fromNanos + (toNanos - fromNanos) * i / count, each);
        }
    }

    private Instance oldest() {
        Instance ended =
                instances.stream().filter(each -> !each.isOver()).findFirst().orElseThrow();
        ended.endNanos = timeline.nowNanos();
        return ended;
    }

    /** So many instances do not reach Redis from then on. */
    void cutOff(int count, long atNanos) {
        timeline.at(
                atNanos,
                () -> instances.stream()
                        .filter(each -> !each.isOver())
                        .limit(count)
                        .forEach(Instance::cutOff));
    }

    /** Redis is unavailable for all. */
    void lose(long atNanos) {
        timeline.at(atNanos, () -> {
            lost = true;
            instances.forEach(Instance::cutOff);
        });
    }

    /**
     * What all that are without Redis grant from one moment to another, under so many requests that each grants all that it
     * may, as a multiple of what the limit admits in that time.
     *
     * @param fixed whether each decides under the whole limit
     */
    double granted(TokenBucket limit, long fromNanos, long toNanos, boolean fixed) {
        timeline.run(toNanos);
        double granted = 0;
        for (Instance each : instances) {
            if (each.cutOffNanos < toNanos) {
                TokenBucket own = limit.scaled(fixed ? 1 : each.share());
                granted += granted(own, Math.max(fromNanos, each.cutOffNanos), Math.min(toNanos, each.endNanos));
            }
        }
        return granted / (limit.capacity() + limit.permitsPerSecond() * (toNanos - fromNanos) / SECOND_NANOS);
    }

    private static long granted(TokenBucket limit, long fromNanos, long toNanos) {
        Bucket bucket = new Bucket(limit);
        long granted = 0;
        for (long nanos = fromNanos; nanos <= toNanos; nanos += TICK_NANOS) {
            long micros = nanos / 1_000;
            Request peek = Request.peek(1, 0);
            int left = (int) bucket.decide(peek, micros).remaining();
            if (left > 0 && bucket.take(left, micros).isGranted()) {
                granted += left;
            }
        }
        return granted;
    }

    private final class Instance {

        private long countedNanos = Long.MIN_VALUE;
        private long cutOffNanos = Long.MAX_VALUE;
        private long endNanos = Long.MAX_VALUE;
        private final KnownInstances counted = new KnownInstances();
        private int known;

        private boolean isOver() {
            return endNanos <= timeline.nowNanos();
        }

        private void cutOff() {
            cutOffNanos = Math.min(cutOffNanos, timeline.nowNanos());
        }

        /** One that has never reached Redis knows of no other, but may expect some. */
        private double share() {
            return 1.0 / Math.max(expected, known);
        }

        private void poll() {
            if (isOver()) {
                return;
            }
            if (lost) {
                cutOff();
            }
            if (cutOffNanos == Long.MAX_VALUE) {
                count();
            }
            timeline.at(timeline.nowNanos() + (long) (POLL_NANOS * (1 - JITTER * random.nextDouble())), this::poll);
        }

        private void count() {
            long now = timeline.nowNanos();
            boolean first = countedNanos == Long.MIN_VALUE;
            countUntil.values().removeIf(until -> until < now);
            if (!first && now - countedNanos < EVERY_NANOS) {
                known = counted.afterSeeing(countUntil.size());
                return;
            }
            boolean added = countUntil.put(this, now + COUNTS_NANOS) == null;
            known = counted.after(countUntil.size(), added);
            countedNanos = now;
        }
    }
}
