package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Arrivals;
import io.limiter.benchmark.subject.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Threads that serve requests which arrive at times fixed beforehand, however long the answers take. A latency counts from the
 * arrival, so a request that waits for a thread counts as slow (no coordinated omission).
 */
final class OpenLoop {

    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How long after the last arrival late requests are sent; the rest counts as answered then, so the true time is longer. */
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Subject subject;
    private final int[] ids;
    private final long[] dueNanos;
    private final long unmeasuredNanos;
    private final long startNanos = System.nanoTime() + LEAD_NANOS;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicLong failed = new AtomicLong();

    private OpenLoop(Subject subject, int[] ids, long[] dueNanos, long unmeasuredNanos) {
        this.subject = subject;
        this.ids = ids;
        this.dueNanos = dueNanos;
        this.unmeasuredNanos = unmeasuredNanos;
    }

    /**
     * Returns the latencies, once all requests are answered.
     *
     * @param ids of the requests, which begin again after the last; their number is a power of two
     * @param dueNanos when each request arrives, from the start
     * @param unmeasuredNanos from when on requests count
     * @param whenMeasured called then
     * @throws IllegalStateException if a request fails
     */
    static Histogram run(Subject subject, int[] ids, long[] dueNanos, long unmeasuredNanos, Runnable whenMeasured)
            throws InterruptedException {
        OpenLoop loop = new OpenLoop(subject, ids, dueNanos, unmeasuredNanos);
        List<Histogram> histograms = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Arrivals.WORKERS; i++) {
            Histogram histogram = new Histogram(1, Callers.LONGEST_NANOS, 3);
            histograms.add(histogram);
            threads.add(Driver.PLATFORM.newThread(() -> loop.serve(histogram)));
        }
        threads.forEach(Thread::start);
        await(loop.startNanos + unmeasuredNanos);
        whenMeasured.run();
        for (Thread thread : threads) {
            thread.join();
        }
        if (loop.failed.get() > 0) {
            throw new IllegalStateException(loop.failed.get() + " requests have failed");
        }
        Histogram sum = new Histogram(1, Callers.LONGEST_NANOS, 3);
        histograms.forEach(sum::add);
        return sum;
    }

    private void serve(Histogram histogram) {
        for (int i = next.getAndIncrement(); i < dueNanos.length; i = next.getAndIncrement()) {
            long due = startNanos + dueNanos[i];
            await(due);
            if (System.nanoTime() - startNanos - dueNanos[dueNanos.length - 1] < DRAIN_NANOS) {
                send(ids[i & (ids.length - 1)]);
            }
            if (dueNanos[i] >= unmeasuredNanos) {
                histogram.recordValue(Math.min(System.nanoTime() - due, Callers.LONGEST_NANOS));
            }
        }
    }

    private void send(int id) {
        try {
            subject.tryAcquire(id);
        } catch (RuntimeException e) {
            failed.incrementAndGet();
        }
    }

    private static void await(long nanoTime) {
        long left = nanoTime - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = nanoTime - System.nanoTime();
        }
    }
}
