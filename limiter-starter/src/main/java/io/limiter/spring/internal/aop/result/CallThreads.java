package io.limiter.spring.internal.aop.result;

import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.thread.LimiterThread;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads in which calls go on that had to wait for a decision: as many as there are such calls, because each may block until another
 * one has gone on. They are virtual from JDK 24 on. Before, a virtual thread that blocks within a monitor keeps its carrier, so a few
 * of them could stop all others.
 */
public final class CallThreads {

    private static final AsyncLog log = AsyncLog.of(CallThreads.class);
    private static final String NAME = "limiter-calls-";
    private static final int NO_PINNING = 24;
    private static final int IDLE_SECONDS = 10;
    private static final Executor EXECUTOR = Runtime.version().feature() >= NO_PINNING ? virtual() : platform();

    private CallThreads() {}

    /**
     * Starts a thread for a task, or gives it to an idle one.
     *
     * @throws OutOfMemoryError if no thread can be started
     */
    public static void execute(Runnable task) {
        EXECUTOR.execute(task);
    }

    private static Executor virtual() {
        try {
            Class<?> builder = Class.forName("java.lang.Thread$Builder");
            Object threads = Thread.class.getMethod("ofVirtual").invoke(null);
            threads = builder.getMethod("name", String.class, long.class).invoke(threads, NAME, 1L);
            threads = builder.getMethod("inheritInheritableThreadLocals", boolean.class)
                    .invoke(threads, false);
            ThreadFactory factory = (ThreadFactory) builder.getMethod("factory").invoke(threads);
            return task -> {
                Thread thread = factory.newThread(task);
                thread.setContextClassLoader(CallThreads.class.getClassLoader());
                thread.start();
            };
        } catch (ReflectiveOperationException e) {
            log.warn("Limited calls continue in platform threads, because virtual threads are not available", e);
            return platform();
        }
    }

    private static Executor platform() {
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                LimiterThread.numbered(NAME));
    }
}
