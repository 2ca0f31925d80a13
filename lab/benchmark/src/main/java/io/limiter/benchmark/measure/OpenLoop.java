package io.limiter.benchmark.measure;

import io.limiter.benchmark.subject.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Threads that send requests at times fixed beforehand, however long the answers take. A latency counts from the intended
 * time, so a request that is late because of the one before it counts as slow (no coordinated omission).
 */
final class OpenLoop {

    private static final int THREADS = 64;
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How long after the end those that are late are sent; the rest counts as answered then, so the true time is longer. */
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Subject subject;
    private final double intervalNanos;
    private final long startNanos;
    private final long measuredNanos;
    private final long endNanos;
    private final AtomicLong failed = new AtomicLong();

    private OpenLoop(Subject subject, double perSecond, double unmeasuredSeconds, double seconds) {
        this.subject = subject;
        this.intervalNanos = 1e9 / perSecond;
        this.startNanos = System.nanoTime() + LEAD_NANOS;
        this.measuredNanos = startNanos + (long) (unmeasuredSeconds * 1e9);
        this.endNanos = measuredNanos + (long) (seconds * 1e9);
    }

    /**
     * Returns the latencies, once all requests are answered.
     *
     * @param perSecond requests of all threads together
     * @param unmeasuredSeconds how long requests are sent before the first that counts
     * @throws IllegalStateException if a request fails
     */
    static Histogram run(Subject subject, double perSecond, double unmeasuredSeconds, double seconds)
            throws InterruptedException {
        OpenLoop loop = new OpenLoop(subject, perSecond, unmeasuredSeconds, seconds);
        List<Histogram> histograms = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            Histogram histogram = new Histogram(1, Callers.LONGEST_NANOS, 3);
            histograms.add(histogram);
            threads.add(Driver.PLATFORM.newThread(() -> loop.send(number, histogram)));
        }
        threads.forEach(Thread::start);
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

    private void send(int number, Histogram histogram) {
        for (long i = number; ; i += THREADS) {
            long intended = startNanos + (long) (i * intervalNanos);
            if (intended - endNanos >= 0) {
                return;
            }
            await(intended);
            if (System.nanoTime() - endNanos < DRAIN_NANOS) {
                send();
            }
            if (intended - measuredNanos >= 0) {
                histogram.recordValue(Math.min(System.nanoTime() - intended, Callers.LONGEST_NANOS));
            }
        }
    }

    private void send() {
        try {
            subject.tryAcquire(0);
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
