package io.limiter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.util.FileSystemUtils;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;

/** A Redis in a process of its own, which ends with this JVM. It saves nothing, so it is empty whenever it starts. */
class EmbeddedRedis {

    private final RedisServer server;
    private final Path directory;
    private boolean closed;

    EmbeddedRedis(int port) throws IOException {
        directory = Files.createTempDirectory("limiter-sample-redis");
        server = RedisServer.newRedisServer()
                // Unpacked into the directory that is deleted at the end.
                .executableProvider(ExecutableProvider.newJarResourceProvider(directory.toFile()))
                .port(port)
                .bind("127.0.0.1")
                .setting("dir " + directory)
                .setting("save \"\"")
                .build();
        // It also deletes what a start that failed has left.
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        server.start();
    }

    synchronized void start() throws IOException {
        if (!closed) {
            server.start();
        }
    }

    synchronized void stop() throws IOException {
        server.stop();
    }

    private synchronized void close() {
        closed = true;
        try {
            server.stop();
            FileSystemUtils.deleteRecursively(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
