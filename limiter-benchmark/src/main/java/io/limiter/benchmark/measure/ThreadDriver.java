package io.limiter.benchmark.measure;

import io.limiter.benchmark.subject.Subject;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** A thread for each caller, which waits for its answers. */
final class ThreadDriver implements Driver {

    static final ThreadFactory PLATFORM = task -> {
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        return thread;
    };

    private final CountDownLatch running;

    private ThreadDriver(int callers) {
        this.running = new CountDownLatch(callers);
    }

    static Driver start(Subject subject, CallerResults results, ThreadFactory threads) {
        ThreadDriver driver = new ThreadDriver(results.callers().size());
        for (Caller caller : results.callers()) {
            threads.newThread(() -> driver.run(subject, caller)).start();
        }
        return driver;
    }

    private void run(Subject subject, Caller caller) {
        try {
            while (!caller.stopped()) {
                ask(subject, caller);
            }
        } finally {
            running.countDown();
        }
    }

    private static void ask(Subject subject, Caller caller) {
        int id = caller.nextId();
        long start = caller.startNanos();
        boolean granted;
        try {
            granted = subject.tryAcquire(id);
        } catch (RuntimeException e) {
            caller.failed(e);
            return;
        }
        caller.answered(granted, start);
    }

    @Override
    public void awaitEnd() throws InterruptedException {
        if (!running.await(STOP_SECONDS, TimeUnit.SECONDS)) {
            throw Driver.tookTooLong();
        }
    }
}
