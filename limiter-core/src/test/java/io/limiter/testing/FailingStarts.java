package io.limiter.testing;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes daemon threads, and fails for some of them, as where the system allows no further one. */
public final class FailingStarts implements ThreadFactory {

    /** How many of the next threads can be made; the ones after that fail. */
    public final AtomicInteger succeed;
    /** How many fail then. */
    public final AtomicInteger fail;

    public FailingStarts(int succeed, int fail) {
        this.succeed = new AtomicInteger(succeed);
        this.fail = new AtomicInteger(fail);
    }

    @Override
    public Thread newThread(Runnable task) {
        // Not by an own start(), which pools of newer JDKs do not call.
        if (succeed.getAndDecrement() <= 0 && fail.getAndDecrement() > 0) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        Thread thread = new Thread(task, "failing-starts");
        thread.setDaemon(true);
        return thread;
    }

    /** Whether all that were to fail have failed. */
    public boolean haveFailed() {
        return fail.get() <= 0;
    }
}
