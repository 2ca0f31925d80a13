package io.limiter.internal.redis.client;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.limiter.internal.resilience.Deadlines;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * The commands that are under way, so that none is waited for longer than its budget, and none is sent twice.
 *
 * <p>When a connection breaks, Lettuce sends again what was not answered as soon as it is connected again. For a decision
 * that would be one too many: the first may have been executed. So all that is under way is given up when the connection
 * breaks, and Lettuce does not send what was given up.
 */
final class SentCommands implements RedisConnectionStateListener, Deadlines.Pool {

    private final Set<Sent> sent = ConcurrentHashMap.newKeySet();
    private final Deadlines deadlines;

    SentCommands(Deadlines deadlines) {
        this.deadlines = deadlines;
        deadlines.watch(this);
    }

    /** Takes note of a command. */
    Sent add(CompletableFuture<?> answer) {
        Sent command = new Sent(answer, deadlines.now() + deadlines.budgetNanos());
        sent.add(command);
        deadlines.look();
        return command;
    }

    @Override
    public boolean endOverdue(long nowNanos) {
        for (Sent command : sent) {
            if (command.deadlineNanos - nowNanos <= 0) {
                command.giveUp(new QueryTimeoutException("no answer in time"));
            }
        }
        return !sent.isEmpty();
    }

    /** One that was closed is not made again, so nothing is sent again. */
    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
        if (connection.isClosed()) {
            return;
        }
        for (Sent command : sent) {
            command.giveUp(new RedisConnectionFailureException("the connection broke before there was an answer"));
        }
    }

    /** One that is under way. */
    final class Sent {

        private final CompletableFuture<?> answer;
        private final long deadlineNanos;
        private volatile RedisFuture<?> command;

        @SuppressWarnings("NullAway.Init") // Set as soon as it is sent.
        private Sent(CompletableFuture<?> answer, long deadlineNanos) {
            this.answer = answer;
            this.deadlineNanos = deadlineNanos;
        }

        /** The command that is waited for now. */
        <T> RedisFuture<T> as(RedisFuture<T> newCommand) {
            command = newCommand;
            if (answer.isDone()) {
                newCommand.cancel(false);
            }
            return newCommand;
        }

        void answered() {
            sent.remove(this);
        }

        private void giveUp(RuntimeException why) {
            sent.remove(this);
            // First the answer: what is cancelled would fail it with less to tell.
            answer.completeExceptionally(why);
            RedisFuture<?> waitedFor = command;
            if (waitedFor != null) {
                waitedFor.cancel(false);
            }
        }
    }
}
