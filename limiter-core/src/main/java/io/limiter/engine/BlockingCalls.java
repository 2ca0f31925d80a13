package io.limiter.engine;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Daemon threads for calls that block, on behalf of callers that must not be. There are none until they are needed, as
 * many as there are calls then, and none again ten seconds later.
 */
public final class BlockingCalls extends ThreadPoolExecutor {

    private static final int IDLE_SECONDS = 10;

    public BlockingCalls() {
        super(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), threads());
    }

    private static java.util.concurrent.ThreadFactory threads() {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, "limiter-blocking-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
