package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.subject.Subject;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** Keeps callers sending requests until their phase is {@link Callers.Phase#STOPPED}; here by a thread for each. */
class Driver {

    static final ThreadFactory PLATFORM = task -> {
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        return thread;
    };

    /** How long callers may take to end. */
    private static final long STOP_SECONDS = 20;

    /** The callers that have not ended. */
    final CountDownLatch running;

    Driver(Callers callers) {
        this.running = new CountDownLatch(callers.all().size());
    }

    static Driver start(Cell cell, Subject subject, Callers callers) {
        return switch (cell.waiting()) {
            case THREADS -> startThreads(subject, callers, PLATFORM);
            case VIRTUAL -> startThreads(subject, callers, virtualThreads());
            case ASYNC -> AsyncDriver.start((Subject.Async) subject, callers);
        };
    }

    private static Driver startThreads(Subject subject, Callers callers, ThreadFactory threads) {
        Driver driver = new Driver(callers);
        callers.all()
                .forEach(caller ->
                        threads.newThread(() -> driver.run(subject, caller)).start());
        return driver;
    }

    /** By reflection, since this is compiled for Java 17. */
    private static ThreadFactory virtualThreads() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "virtual threads need Java 21, this is " + Runtime.version().feature(), e);
        }
    }

    private void run(Subject subject, Callers.Caller caller) {
        try {
            while (!caller.stopped()) {
                request(subject, caller);
            }
        } finally {
            running.countDown();
        }
    }

    private static void request(Subject subject, Callers.Caller caller) {
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

    /**
     * Returns when the last request has been answered. To be called after the callers were stopped.
     *
     * @throws IllegalStateException if that takes too long
     */
    final void awaitEnd() throws InterruptedException {
        if (!running.await(STOP_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("requests were not answered within " + STOP_SECONDS + " s");
        }
    }
}
