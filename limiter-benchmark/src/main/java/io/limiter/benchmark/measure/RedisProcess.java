package io.limiter.benchmark.measure;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis without persistence that lives as long as this JVM at most: a {@code redis-server} from the PATH, else the
 * embedded one.
 *
 * @param origin where it comes from, to be shown
 */
record RedisProcess(int port, String origin) {

    static RedisProcess start() {
        try {
            int port = freePort();
            Path dir = Files.createTempDirectory("limiter-benchmark-redis");
            Optional<Path> server = onPath();
            Runnable stop = server.isPresent() ? run(server.get(), port, dir) : runEmbedded(port, dir);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                stop.run();
                delete(dir);
            }));
            return new RedisProcess(port, server.isPresent() ? "redis-server from the PATH" : "embedded");
        } catch (IOException e) {
            throw new UncheckedIOException("no Redis could be started; name one with -Dredis=redis://host:port", e);
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    static Optional<Path> onPath() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Runnable run(Path server, int port, Path dir) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        server.toString(),
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--dir",
                        dir.toString()))
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("log").toFile())
                .start();
        return () -> {
            process.destroy();
            try {
                process.waitFor(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    private static Runnable runEmbedded(int port, Path dir) throws IOException {
        RedisServer server = RedisServer.newRedisServer()
                // Unpacked where it is deleted again.
                .executableProvider(ExecutableProvider.newJarResourceProvider(dir.toFile()))
                .port(port)
                .bind("127.0.0.1")
                .setting("dir " + dir)
                .setting("save \"\"")
                .build();
        server.start();
        return () -> {
            try {
                server.stop();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private static void delete(Path dir) {
        try {
            MoreFiles.deleteRecursively(dir, RecursiveDeleteOption.ALLOW_INSECURE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
