package io.limiter.benchmark.subject;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** A script beside this class, loaded once and run by its digest, one {@code EVALSHA} for each decision. */
final class LettuceScript {

    private final RedisAsyncCommands<String, byte[]> redis;
    private final String sha1;

    LettuceScript(StatefulRedisConnection<String, byte[]> connection, String fileName) {
        this.redis = connection.async();
        this.sha1 = connection.sync().scriptLoad(resource(fileName));
    }

    /** What the script returned, a list or one number. */
    <T> CompletableFuture<T> run(ScriptOutputType type, String[] keys, byte[]... arguments) {
        return redis.<T>evalsha(sha1, type, keys, arguments).toCompletableFuture();
    }

    static byte[] argument(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    private static String resource(String fileName) {
        try (InputStream in = LettuceScript.class.getResourceAsStream(fileName)) {
            if (in == null) {
                throw new IllegalStateException("there is no " + fileName + " beside " + LettuceScript.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + fileName, e);
        }
    }
}
