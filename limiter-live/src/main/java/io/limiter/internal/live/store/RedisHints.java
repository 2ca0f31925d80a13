package io.limiter.internal.live.store;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.thread.LimiterThread;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Messages of one Redis channel, as hints that may be lost. Subscribes on a thread of its own, which Jedis keeps while it is
 * subscribed, and which ends with Lettuce, because that receives messages on its own thread and restores the subscription.
 *
 * <p>While Jedis keeps the thread, only that may close the connection: it goes back to the application's pool, and must not be
 * there before the last reply was read.
 */
public final class RedisHints implements AutoCloseable {

    private static final AsyncLog log = AsyncLog.of(RedisHints.class);

    private static final String THREAD = "limiter-live-hints";
    private static final Duration RETRY = Duration.ofMinutes(1);
    private static final int CLOSE_MILLIS = 1000;

    private final RedisConnectionFactory connections;
    // Guarded by the monitor of this.
    private @Nullable Thread thread;
    private @Nullable RedisConnection connection;
    // Whether the thread is subscribed and reads messages, as with Jedis.
    private boolean threadReads;
    // Whether the connection stays subscribed without the thread, as with Lettuce.
    private boolean kept;
    private boolean failed;
    private long failedNanos;
    private boolean logged;
    private boolean closed;

    public RedisHints(RedisCalls redis) {
        this.connections = redis.connections();
    }

    /** Subscribes if there is no subscription, in the background. After a failure, not again for a minute. */
    public synchronized void ensureSubscribed(String channel, Runnable onMessage) {
        boolean isSubscribing = thread != null && thread.isAlive();
        boolean waits = failed && System.nanoTime() - failedNanos < RETRY.toNanos();
        if (closed || isSubscribing || waits || isSubscribed(connection)) {
            return;
        }
        Thread started = LimiterThread.of(THREAD, () -> subscribe(channel, onMessage));
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
                opened.subscribe(new Listener(onMessage), channel.getBytes(StandardCharsets.UTF_8));
                keep = keepsSubscribed(opened);
            }
        } catch (RuntimeException e) {
            failed(channel, e);
        } finally {
            if (!keep && opened != null) {
                ended();
                close(opened);
            }
        }
    }

    /** Calls back for messages, and for the subscription, which is closed already if {@link #close} was earlier. */
    private final class Listener implements MessageListener, SubscriptionListener {

        private final Runnable onMessage;
        private final Thread subscribing = Thread.currentThread();

        Listener(Runnable onMessage) {
            this.onMessage = onMessage;
        }

        @Override
        public void onMessage(Message message, byte @Nullable [] pattern) {
            onMessage.run();
        }

        @Override
        public void onChannelSubscribed(byte[] channel, long count) {
            // On a thread of Lettuce's, waiting for an UNSUBSCRIBE would keep its reply from being read.
            if (Thread.currentThread() == subscribing) {
                startsReading();
            }
        }
    }

    /** Not earlier: Jedis would take the reply of an UNSUBSCRIBE before its SUBSCRIBE for the end. */
    private synchronized void startsReading() {
        threadReads = true;
        if (closed) {
            unsubscribe(connection);
        }
    }

    private synchronized void ended() {
        threadReads = false;
        connection = null;
    }

    /** @return {@code false} if this was closed in between */
    private synchronized boolean opens(RedisConnection opened) {
        connection = opened;
        kept = false;
        return !closed;
    }

    private synchronized boolean keepsSubscribed(RedisConnection opened) {
        failed = false;
        kept = !closed && isSubscribed(opened);
        return kept;
    }

    private synchronized void failed(String channel, RuntimeException failure) {
        failed = true;
        failedNanos = System.nanoTime();
        if (!closed && !logged) {
            logged = true;
            log.warn(
                    "Cannot subscribe to the channel {}, so changes of live limits are noticed only by polling. A user needs the"
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
        synchronized (this) {
            closed = true;
            if (connection == null) {
                return;
            }
        }
        // A client waits for a Redis that does not answer for up to a minute.
        Thread closing = LimiterThread.of(THREAD, this::end);
        closing.start();
        try {
            closing.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end() {
        RedisConnection own;
        Thread reading;
        synchronized (this) {
            if (threadReads) {
                // Within the monitor, so that the thread does not close the connection in between.
                unsubscribe(connection);
            }
            own = kept ? connection : null;
            reading = thread;
        }
        if (own != null) {
            unsubscribe(own);
            close(own);
        } else if (reading != null) {
            Uninterruptibles.joinUninterruptibly(reading);
        }
    }

    private static void unsubscribe(@Nullable RedisConnection open) {
        try {
            Subscription subscription = open == null ? null : open.getSubscription();
            if (subscription != null && subscription.isAlive()) {
                subscription.unsubscribe();
            }
        } catch (RuntimeException e) {
            log.debug("A subscription could not be ended.", e);
        }
    }

    private static void close(RedisConnection open) {
        try {
            open.close();
        } catch (RuntimeException e) {
            log.debug("The connection of a subscription could not be closed.", e);
        }
    }
}
