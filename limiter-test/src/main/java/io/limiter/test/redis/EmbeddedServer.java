package io.limiter.test.redis;

import com.google.common.base.Suppliers;
import io.limiter.internal.thread.LimiterThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.function.Supplier;
import java.util.stream.Stream;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;

/** The embedded Redis of this JVM, started when it is first needed; it ends with the JVM and leaves no file. */
final class EmbeddedServer {

    private static final String HOST = "127.0.0.1";
    private static final int ATTEMPTS = 5;
    private static final int TIMEOUT_MILLIS = 60_000;

    // In a nested class, all tests but the first would get an error that does not say why it failed.
    private static final Supplier<EmbeddedServer> SHARED = Suppliers.memoize(EmbeddedServer::start);

    private final RedisAddress address;

    private EmbeddedServer(RedisAddress address) {
        this.address = address;
    }

    static EmbeddedServer shared() {
        return SHARED.get();
    }

    RedisAddress address() {
        return address;
    }

    void flush() {
        try (Socket socket = new Socket(address.host(), address.port())) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write("FLUSHALL\r\n".getBytes(StandardCharsets.US_ASCII));
            String reply = new String(socket.getInputStream().readNBytes(3), StandardCharsets.US_ASCII);
            if (!reply.equals("+OK")) {
                throw new IllegalStateException("the embedded Redis could not be emptied: " + reply);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the embedded Redis at " + address.uri() + " could not be emptied", e);
        }
    }

    private static EmbeddedServer start() {
        try {
            // The server has another working directory, to which a relative java.io.tmpdir would not lead.
            Path folder = Files.createTempDirectory("limiter-embedded-redis").toAbsolutePath();
            ExecutableProvider executable = ExecutableProvider.newJarResourceProvider(folder.toFile());
            RedisServer server = start(executable, folder);
            Runtime.getRuntime()
                    .addShutdownHook(LimiterThread.of("limiter-embedded-redis", () -> stop(server, folder)));
            return new EmbeddedServer(new RedisAddress(HOST, server.ports().get(0)));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the embedded Redis did not start; does " + System.getProperty("java.io.tmpdir")
                            + " allow programs to run? Testcontainers is another way to have a Redis",
                    e);
        }
    }

    /** Another process may take a free port before the server does. */
    private static RedisServer start(ExecutableProvider executable, Path folder) throws IOException {
        IOException failure = new IOException("no free port");
        for (int i = 0; i < ATTEMPTS; i++) {
            RedisServer server = RedisServer.newRedisServer()
                    .executableProvider(executable)
                    .port(freePort())
                    .bind(HOST)
                    .setting("dir " + folder)
                    .setting("save \"\"")
                    .build();
            try {
                server.start();
                return server;
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void stop(RedisServer server, Path folder) {
        try {
            server.stop();
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
