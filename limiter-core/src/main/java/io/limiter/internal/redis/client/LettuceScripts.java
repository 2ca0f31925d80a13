package io.limiter.internal.redis.client;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.resilience.Deadlines;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceExceptionConverter;

/**
 * Scripts over Lettuce's own asynchronous commands, on the connection that Spring's factory shares among all: no thread
 * waits for an answer, and many calls can be under way. Answers arrive on the client's I/O thread.
 */
final class LettuceScripts {

    private final LettuceConnectionFactory factory;
    private final Supplier<Connected> connect;
    private final SentCommands sent;
    private final LettuceExceptionConverter errors = new LettuceExceptionConverter();
    private volatile @Nullable Connected connected;
    // Under this object's monitor, which is taken when there is a new connection, and at the end.
    private Runnable listenNoMore = () -> {};
    private boolean closed;

    private LettuceScripts(LettuceConnectionFactory factory, Supplier<Connected> connect, Deadlines deadlines) {
        this.factory = factory;
        this.sent = new SentCommands(deadlines);
        this.connect = connect;
    }

    /**
     * Only to be called where Lettuce is present: without it, this class cannot even be linked.
     *
     * @param connected runs a function on a connection of the factory's, which it then gives back
     * @param deadlines see to it that no command is waited for too long
     * @return {@code null} if the factory is not Lettuce's, or gives every caller a connection of its own
     */
    static @Nullable LettuceScripts of(
            RedisConnectionFactory connections,
            Function<Function<RedisConnection, Connected>, Connected> connected,
            Deadlines deadlines) {
        return connections instanceof LettuceConnectionFactory lettuce && lettuce.getShareNativeConnection()
                ? new LettuceScripts(lettuce, () -> connected.apply(Connected::of), deadlines)
                : null;
    }

    boolean isCluster() {
        return factory.isClusterAware();
    }

    /** Whether the next call has to connect first, which blocks. */
    boolean mustConnect() {
        Connected now = connected;
        return now == null || now.isClosed();
    }

    /** Connects, if it has to; blocks until it is. */
    void connect() {
        connection();
    }

    /** Runs a script that returns a list; fails with Spring's exceptions, as its own commands would. */
    CompletableFuture<List<Object>> run(LuaScript script, byte[][] keys, byte[]... arguments) {
        Connected on = connection();
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        SentCommands.Sent command = sent.add(answer);
        try {
            command.as(on.commands.<List<Object>>evalsha(script.sha1(), ScriptOutputType.MULTI, keys, arguments))
                    .whenComplete((reply, error) -> {
                        if (error instanceof RedisNoScriptException) {
                            runSource(on, script, keys, arguments, answer, command);
                        } else {
                            command.answered();
                            complete(answer, reply, error);
                        }
                    });
        } catch (RuntimeException e) {
            command.answered();
            throw e;
        }
        return answer;
    }

    /** On the same connection: this is the client's thread, which must not connect. */
    private void runSource(
            Connected on,
            LuaScript script,
            byte[][] keys,
            byte[][] arguments,
            CompletableFuture<List<Object>> answer,
            SentCommands.Sent command) {
        if (answer.isDone()) {
            // Nobody waits for it any more, and nothing was executed yet.
            return;
        }
        try {
            command.as(on.commands.<List<Object>>eval(script.source(), ScriptOutputType.MULTI, keys, arguments))
                    .whenComplete((reply, error) -> {
                        command.answered();
                        complete(answer, reply, error);
                    });
        } catch (RuntimeException e) {
            // Nobody else would see it, and the answer would never come.
            command.answered();
            answer.completeExceptionally(e);
        }
    }

    private void complete(CompletableFuture<List<Object>> answer, List<Object> reply, @Nullable Throwable error) {
        if (error == null) {
            answer.complete(reply);
            return;
        }
        Throwable cause = AsyncFailures.cause(error);
        RuntimeException converted = cause instanceof Exception e ? errors.convert(e) : null;
        answer.completeExceptionally(converted == null ? cause : converted);
    }

    private Connected connection() {
        Connected now = connected;
        if (now == null || now.isClosed()) {
            now = connect.get();
            listen(now.connection);
            connected = now;
        }
        return now;
    }

    /**
     * Where there is a connection for each node, behind the one that is used, only the client is told what becomes of them.
     * It is told of other connections too, so it is not asked where there is one; nor in a Cluster, where Lettuce sends again
     * what was given up.
     */
    private synchronized void listen(StatefulConnection<?, ?> connection) {
        listenNoMore.run();
        if (closed) {
            return;
        }
        if (connection instanceof StatefulRedisMasterReplicaConnection) {
            AbstractRedisClient client = factory.getRequiredNativeClient();
            client.addListener(sent);
            listenNoMore = () -> client.removeListener(sent);
        } else {
            connection.addListener(sent);
            listenNoMore = () -> connection.removeListener(sent);
        }
    }

    /** The connection is the application's, and does not know this any more; to be called when nothing is under way. */
    synchronized void close() {
        closed = true;
        listenNoMore.run();
    }

    /** The shared connection; open until the factory is stopped, also while Lettuce reconnects. */
    static final class Connected {

        private final RedisClusterAsyncCommands<byte[], byte[]> commands;
        private final StatefulConnection<?, ?> connection;

        private Connected(RedisClusterAsyncCommands<byte[], byte[]> commands, StatefulConnection<?, ?> connection) {
            this.commands = commands;
            this.connection = connection;
        }

        private static Connected of(RedisConnection connection) {
            RedisClusterAsyncCommands<byte[], byte[]> commands = ((LettuceConnection) connection).getNativeConnection();
            return new Connected(
                    commands,
                    commands instanceof RedisAdvancedClusterAsyncCommands<byte[], byte[]> cluster
                            ? cluster.getStatefulConnection()
                            : ((RedisAsyncCommands<byte[], byte[]>) commands).getStatefulConnection());
        }

        boolean isClosed() {
            return connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
        }
    }
}
