package io.limiter.testing;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the same work on several threads that all start at the same time. */
public final class Concurrently {

    private Concurrently() {}

    /** Returns when all are done; throws the first exception. */
    public static void run(int threads, Runnable work) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch start = new CountDownLatch(threads);
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(pool.submit(() -> {
                    start.countDown();
                    Uninterruptibles.awaitUninterruptibly(start);
                    work.run();
                }));
            }
            for (Future<?> future : running) {
                Uninterruptibles.getUninterruptibly(future);
            }
        } catch (ExecutionException e) {
            throw new AssertionError("a thread failed", e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }
}
