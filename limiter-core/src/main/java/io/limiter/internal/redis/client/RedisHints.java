package io.limiter.internal.redis.client;

import io.limiter.internal.log.AsyncLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;

/**
 * Messages of one Redis channel, as hints that may be lost. Subscribes on a thread of its own, which Jedis keeps while it is
 * subscribed, and which ends with Lettuce, because that receives messages on its own thread and restores the subscription.
 */
public final class RedisHints implements AutoCloseable {

    private static final AsyncLog log = AsyncLog.of(RedisHints.class);

    private static final Duration RETRY = Duration.ofMinutes(1);
    private static final int CLOSE_MILLIS = 1000;

    private final RedisConnectionFactory connections;
    // Guarded by the monitor of this.
    private @Nullable Thread thread;
    private @Nullable RedisConnection connection;
    private boolean failed;
    private long failedNanos;
    private boolean logged;
    private boolean closed;

    public RedisHints(RedisConnectionFactory connections) {
        this.connections = connections;
    }

    /** Subscribes if there is no subscription, in the background. After a failure, not again for a minute. */
    public synchronized void ensureSubscribed(String channel, Runnable onMessage) {
        boolean isSubscribing = thread != null && thread.isAlive();
        boolean waits = failed && System.nanoTime() - failedNanos < RETRY.toNanos();
        if (closed || isSubscribing || waits || isSubscribed(connection)) {
            return;
        }
        Thread started = new Thread(null, () -> subscribe(channel, onMessage), "limiter-live-hints", 0, false);
        started.setContextClassLoader(RedisHints.class.getClassLoader());
        started.setDaemon(true);
        thread = started;
        started.start();
    }

    private static boolean isSubscribed(@Nullable RedisConnection connection) {
        if (connection == null || connection.isClosed()) {
            return false;
        }
        Subscription subscription = connection.getSubscription();
        return subscription != null && subscription.isAlive();
    }

    private void subscribe(String channel, Runnable onMessage) {
        RedisConnection opened = null;
        boolean keep = false;
        try {
            opened = connections.getConnection();
            if (opens(opened)) {
                opened.subscribe((message, pattern) -> onMessage.run(), channel.getBytes(StandardCharsets.UTF_8));
                keep = keepsSubscribed(opened);
            }
        } catch (RuntimeException e) {
            failed(channel, e);
        } finally {
            if (!keep && opened != null) {
                close(opened);
            }
        }
    }

    /** @return {@code false} if this was closed meanwhile */
    private synchronized boolean opens(RedisConnection opened) {
        connection = opened;
        return !closed;
    }

    private synchronized boolean keepsSubscribed(RedisConnection opened) {
        failed = false;
        return !closed && isSubscribed(opened);
    }

    private synchronized void failed(String channel, RuntimeException failure) {
        failed = true;
        failedNanos = System.nanoTime();
        if (!closed && !logged) {
            logged = true;
            log.warn(
                    "Cannot subscribe to the channel {}, so changes of live limits are seen only by polling. A user needs the"
                            + " right &{} for it.",
                    channel,
                    channel,
                    failure);
        }
    }

    /** Lets it be subscribed again after {@link #close}. */
    public synchronized void resume() {
        closed = false;
        failed = false;
    }

    /** Ends the subscription. */
    @Override
    public void close() {
        RedisConnection open;
        synchronized (this) {
            closed = true;
            open = connection;
        }
        if (open != null) {
            closeSoon(open);
        }
    }

    /** A client waits for a Redis that does not answer for up to a minute. */
    private static void closeSoon(RedisConnection open) {
        Thread closing = new Thread(null, () -> close(open), "limiter-live-hints", 0, false);
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(RedisConnection open) {
        try {
            Subscription subscription = open.getSubscription();
            if (subscription != null && subscription.isAlive()) {
                subscription.unsubscribe();
            }
            open.close();
        } catch (RuntimeException e) {
            log.debug("A subscription could not be ended.", e);
        }
    }
}
