package io.limiter.benchmark.outage;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes what was opened, the last one first. */
public final class Closing implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Deque<Runnable> closers = new ArrayDeque<>();

    public void add(Runnable closer) {
        closers.push(closer);
    }

    /** Returns after a while, even if a client waits for a Redis that does not answer. */
    @Override
    public void close() {
        Thread thread = new Thread(this::closeAll, "closing");
        thread.setDaemon(true);
        thread.start();
        try {
            thread.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeAll() {
        while (!closers.isEmpty()) {
            try {
                closers.pop().run();
            } catch (RuntimeException e) {
                LOG.warn("A client could not be closed", e);
            }
        }
    }
}
