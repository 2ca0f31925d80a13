package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Concurrently;
import io.limiter.testing.Seed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Many threads whose sets are rejected, and what their limits have afterwards. Nothing may refill during the test. */
public final class RejectedSets {

    private static final int THREADS = 8;

    private RejectedSets() {}

    /**
     * Sets of a bucket and used-up windows.
     *
     * @param window of one permit for each key
     * @param aMomentLater run by all threads, between their sets
     */
    public static void check(Limiter bucket, Limiter window, Runnable aMomentLater) {
        assertThat(bucket.tryAcquire()).isTrue();
        long before = bucket.peek().remaining();
        int users = 40;
        for (int i = 0; i < users; i++) {
            assertThat(window.tryAcquire("user" + i)).isTrue();
        }
        AtomicInteger next = new AtomicInteger();
        AtomicInteger granted = new AtomicInteger();
        Concurrently.run(THREADS, () -> {
            for (int i = 0; i < 5 * users / THREADS; i++) {
                String user = "user" + next.getAndIncrement() % users;
                granted.addAndGet(LimitSet.of(bucket, window.on(user)).tryAcquire() ? 1 : 0);
                aMomentLater.run();
            }
        });
        assertThat(granted).hasValue(0);
        assertThat(bucket.peek().remaining()).isEqualTo(before);
    }

    /** Random sets of these limiters, of which each has granted what granted sets took, and no more. */
    public static void checkRandom(List<? extends Limiter> limiters, int setsPerThread, Runnable aMomentLater) {
        AtomicIntegerArray taken = new AtomicIntegerArray(limiters.size());
        AtomicInteger thread = new AtomicInteger();
        AtomicInteger rejected = new AtomicInteger();
        Concurrently.run(THREADS, () -> {
            Random random = new Random(Seed.VALUE + thread.getAndIncrement());
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < limiters.size(); i++) {
                order.add(i);
            }
            for (int i = 0; i < setsPerThread; i++) {
                Collections.shuffle(order, random);
                List<Integer> parts = order.subList(0, 2 + random.nextInt(limiters.size() - 1));
                int permits = 1 + random.nextInt(3);
                Limiter[] others = parts.stream().skip(1).map(limiters::get).toArray(Limiter[]::new);
                if (LimitSet.of(limiters.get(parts.get(0)), others)
                        .decide(permits)
                        .isGranted()) {
                    parts.forEach(part -> taken.addAndGet(part, permits));
                } else {
                    rejected.incrementAndGet();
                }
                aMomentLater.run();
            }
        });
        assertThat(rejected).as(Seed.hint()).hasPositiveValue();
        for (int i = 0; i < limiters.size(); i++) {
            Limiter limiter = limiters.get(i);
            assertThat(limiter.peek().remaining())
                    .as("%s%s, of which %d were taken", Seed.hint(), limiter, taken.get(i))
                    .isEqualTo(limiter.limit().capacity() - taken.get(i));
        }
    }
}
