package io.limiter.internal.redis.client;

import com.google.common.util.concurrent.Uninterruptibles;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.limiter.internal.resilience.Deadlines;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * The commands in flight: bounds their time and prevents Lettuce from sending them twice.
 *
 * <p>After a reconnection, Lettuce sends unanswered commands again. A decision would then be executed twice. So all
 * commands in flight are cancelled when the connection breaks, and Lettuce does not send cancelled commands.
 */
final class SentCommands implements Deadlines.Pool {

    private static final Duration ANSWERED_PAUSE = Duration.ofMillis(1);

    private final Set<Sent> sent = ConcurrentHashMap.newKeySet();
    private final Deadlines deadlines;

    SentCommands(Deadlines deadlines) {
        this.deadlines = deadlines;
        deadlines.watch(this);
    }

    /**
     * Adds a command.
     *
     * @param ended called once, with the reply or the failure
     * @param connection what it is sent over
     * @param overdue ends it at the deadline
     */
    Sent add(
            BiConsumer<@Nullable List<Object>, @Nullable Throwable> ended,
            Object connection,
            long timeoutNanos,
            Executor overdue) {
        Sent command = new Sent(ended, connection, deadlines.now() + timeoutNanos, overdue);
        sent.add(command);
        deadlines.ensureChecking();
        return command;
    }

    @Override
    public boolean endOverdue(long nowNanos) {
        for (Sent command : sent) {
            if (command.deadlineNanos - nowNanos <= 0) {
                // First, because what is no longer among these is not cancelled when the connection breaks.
                command.cancel();
                command.overdue.execute(() -> command.end(null, new QueryTimeoutException("no answer in time")));
                sent.remove(command);
            }
        }
        return !sent.isEmpty();
    }

    /** Cancels the commands in flight over a connection when that breaks. */
    RedisConnectionStateListener cancelling(Object connection) {
        return new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
                // A closed connection is not restored, so nothing is sent again.
                if (!disconnected.isClosed()) {
                    cancelAll(connection);
                }
            }
        };
    }

    /** Waits until no command is in flight, for a decision timeout at most. */
    void awaitAnswers() {
        long startNanos = System.nanoTime();
        while (!sent.isEmpty() && System.nanoTime() - startNanos < deadlines.decisionTimeoutNanos()) {
            Uninterruptibles.sleepUninterruptibly(ANSWERED_PAUSE);
        }
    }

    private void cancelAll(Object connection) {
        for (Sent command : sent) {
            if (command.connection == connection) {
                command.cancel();
                command.end(
                        null, new RedisConnectionFailureException("the connection broke before there was an answer"));
            }
        }
    }

    /** A command in flight. */
    final class Sent {

        private final BiConsumer<@Nullable List<Object>, @Nullable Throwable> ended;
        private final AtomicBoolean hasEnded = new AtomicBoolean();
        private final Object connection;
        private final long deadlineNanos;
        private final Executor overdue;
        private volatile boolean cancelled;
        private volatile RedisFuture<?> command;

        @SuppressWarnings("NullAway.Init") // Set as soon as it is sent.
        private Sent(
                BiConsumer<@Nullable List<Object>, @Nullable Throwable> ended,
                Object connection,
                long deadlineNanos,
                Executor overdue) {
            this.ended = ended;
            this.connection = connection;
            this.deadlineNanos = deadlineNanos;
            this.overdue = overdue;
        }

        /** The command that is waited for now. */
        <T> RedisFuture<T> as(RedisFuture<T> newCommand) {
            command = newCommand;
            if (cancelled) {
                newCommand.cancel(false);
            }
            return newCommand;
        }

        boolean isCancelled() {
            return cancelled;
        }

        /** Ends this with what the client says. Of a cancelled command it says less than the one who cancels it. */
        void answered(@Nullable List<Object> reply, @Nullable Throwable error) {
            if (!cancelled) {
                end(reply, error);
            }
        }

        /** Ends this, unless it has ended before. */
        void end(@Nullable List<Object> reply, @Nullable Throwable error) {
            sent.remove(this);
            if (!hasEnded.compareAndSet(false, true)) {
                return;
            }
            try {
                ended.accept(reply, error);
            } catch (RuntimeException | Error e) {
                // The other commands must still end.
                deadlines.report("The reply to a call could not be handled. Please report this as a bug.", e);
            }
        }

        /** From now on Lettuce does not send it again. Whoever cancels it also ends it. */
        private void cancel() {
            cancelled = true;
            RedisFuture<?> waitedFor = command;
            if (waitedFor != null) {
                waitedFor.cancel(false);
            }
        }
    }
}
