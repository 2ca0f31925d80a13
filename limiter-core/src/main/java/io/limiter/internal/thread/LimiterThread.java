package io.limiter.internal.thread;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A daemon thread of the limiter. It takes nothing over from the caller that happens to start it, because it outlives that call and
 * runs the code of other callers: no inheritable thread locals, such as a user, a tenant or a trace, no class loader, which would
 * keep an undeployed application in memory, and no priority.
 */
public final class LimiterThread extends Thread {

    private final Factory factory;

    private LimiterThread(Factory factory, Runnable task, String name) {
        super(null, task, name, 0, false);
        this.factory = factory;
        setContextClassLoader(LimiterThread.class.getClassLoader());
        setPriority(NORM_PRIORITY);
        setDaemon(true);
    }

    /** Makes threads of one name. */
    public static Factory named(String name) {
        return new Factory(name, false);
    }

    /** Makes threads whose names are the prefix and a number. */
    public static Factory numbered(String prefix) {
        return new Factory(prefix, true);
    }

    /** A thread that is not started yet. */
    public static Thread of(String name, Runnable task) {
        return named(name).newThread(task);
    }

    /** Makes the threads for one purpose, and recognises them. Safe for use by multiple threads. */
    public static final class Factory implements ThreadFactory {

        private final String name;
        private final boolean numbered;
        private final AtomicInteger made = new AtomicInteger();

        private Factory(String name, boolean numbered) {
            this.name = name;
            this.numbered = numbered;
        }

        @Override
        public Thread newThread(Runnable task) {
            return new LimiterThread(this, task, numbered ? name + made.incrementAndGet() : name);
        }

        /** Whether this has made the current thread. */
        public boolean hasMadeCurrentThread() {
            return Thread.currentThread() instanceof LimiterThread thread && thread.factory == this;
        }
    }
}
