package io.limiter.redis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;

/**
 * The one door to Redis for scripts: by digest, with the whole text only if Redis does not know it (it was restarted,
 * or its scripts were flushed). That error says that nothing was executed, so the second call cannot count twice.
 *
 * <p>Takes its connections from the factory rather than through a template, so that a decision never becomes part of a
 * transaction that the calling thread has open.
 */
final class ScriptRunner {

    private static final byte[][] NO_ARGUMENTS = {};

    private final RedisConnectionFactory connections;

    ScriptRunner(RedisConnectionFactory connections) {
        this.connections = connections;
    }

    /** Whether keys of different names may share a call. */
    boolean keysShareCalls() {
        try (RedisConnection connection = connections.getConnection()) {
            return !(connection instanceof RedisClusterConnection);
        }
    }

    /** Runs a script that returns a list. */
    List<Object> runForList(LuaScript script, int keys, List<byte[]> keysAndArguments) {
        List<Object> reply = run(script, ReturnType.MULTI, keys, keysAndArguments);
        if (reply == null) {
            throw new IllegalStateException("Redis returned nothing for script " + script.sha1());
        }
        return reply;
    }

    /** Runs a script that returns 1 or 0. */
    boolean runForFlag(LuaScript script, int keys, List<byte[]> keysAndArguments) {
        Long reply = run(script, ReturnType.INTEGER, keys, keysAndArguments);
        return reply != null && reply == 1;
    }

    private <T> @Nullable T run(LuaScript script, ReturnType type, int keys, List<byte[]> keysAndArguments) {
        byte[][] arguments = keysAndArguments.toArray(NO_ARGUMENTS);
        try (RedisConnection connection = connections.getConnection()) {
            try {
                return connection.scriptingCommands().evalSha(script.sha1(), type, keys, arguments);
            } catch (RuntimeException e) {
                if (!saysNoScript(e)) {
                    throw e;
                }
                return connection.scriptingCommands().eval(script.source(), type, keys, arguments);
            }
        }
    }

    private static boolean saysNoScript(Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t.getMessage() != null && t.getMessage().contains("NOSCRIPT")) {
                return true;
            }
        }
        return false;
    }
}
