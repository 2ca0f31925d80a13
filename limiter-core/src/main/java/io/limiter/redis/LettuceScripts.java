package io.limiter.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.limiter.engine.AsyncFailures;
import io.limiter.engine.Deadlines;
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
import org.springframework.util.ClassUtils;

/**
 * Scripts over Lettuce's own asynchronous commands, on the connection that Spring's factory shares among all: no thread
 * waits for an answer, and many calls can be under way. Answers arrive on the client's I/O thread.
 */
final class LettuceScripts {

    private static final boolean PRESENT =
            ClassUtils.isPresent("io.lettuce.core.RedisClient", LettuceScripts.class.getClassLoader());

    private final Supplier<Connected> connect;
    private final boolean cluster;
    private final SentCommands sent;
    private final LettuceExceptionConverter errors = new LettuceExceptionConverter();
    private volatile @Nullable Connected connected;

    private LettuceScripts(Supplier<Connected> connect, boolean cluster, Deadlines deadlines) {
        this.sent = new SentCommands(deadlines);
        this.connect = connect;
        this.cluster = cluster;
    }

    /**
     * @param connected runs a function on a connection of the factory's, which it then gives back
     * @param deadlines see to it that no command is waited for too long
     * @return {@code null} if the factory is not Lettuce's, or gives every caller a connection of its own
     */
    static @Nullable LettuceScripts of(
            RedisConnectionFactory connections,
            Function<Function<RedisConnection, Connected>, Connected> connected,
            Deadlines deadlines) {
        return PRESENT && connections instanceof LettuceConnectionFactory lettuce && lettuce.getShareNativeConnection()
                ? new LettuceScripts(() -> connected.apply(Connected::of), lettuce.isClusterAware(), deadlines)
                : null;
    }

    boolean isCluster() {
        return cluster;
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
    CompletableFuture<List<Object>> run(LuaScript script, byte[][] keys, byte[] argument) {
        Connected on = connection();
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        SentCommands.Sent command = sent.add(answer);
        try {
            command.as(on.commands.<List<Object>>evalsha(script.sha1(), ScriptOutputType.MULTI, keys, argument))
                    .whenComplete((reply, error) -> {
                        if (error instanceof RedisNoScriptException) {
                            runSource(on, script, keys, argument, answer, command);
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
            byte[] argument,
            CompletableFuture<List<Object>> answer,
            SentCommands.Sent command) {
        if (answer.isDone()) {
            // Nobody waits for it any more, and nothing was executed yet.
            return;
        }
        try {
            command.as(on.commands.<List<Object>>eval(script.source(), ScriptOutputType.MULTI, keys, argument))
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
            now.connection.addListener(sent);
            connected = now;
        }
        return now;
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
