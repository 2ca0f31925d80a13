package io.limiter.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;
import redis.embedded.RedisServer;

/**
 * The Redis that the tests of this JVM use, started when the first test asks for it and gone with the JVM: the one
 * named by {@code -Dtest.redis=redis://host:port}, else one in Docker, else a {@code redis-server} from the PATH, else
 * the embedded one, so no test is ever skipped for want of it. Prints which.
 */
public final class TestRedis {

    private static final String IMAGE = "redis:8-alpine";

    private final String host;
    private final int port;

    private TestRedis(String host, int port) {
        this.host = host;
        this.port = port;
    }

    /** The same for all tests of this JVM; each keeps to names of its own. */
    public static TestRedis shared() {
        return Holder.SHARED;
    }

    public String host() {
        return host;
    }

    public int port() {
        return port;
    }

    public String uri() {
        return "redis://" + host + ":" + port;
    }

    /** A port that was free a moment ago. */
    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static TestRedis start() {
        try {
            String given = System.getProperty("test.redis", "");
            if (!given.isBlank()) {
                URI uri = URI.create(given);
                return announce("given by -Dtest.redis", new TestRedis(uri.getHost(), uri.getPort()));
            }
            if (dockerIsThere()) {
                return announce(IMAGE + " in Docker", inDocker());
            }
            Path onPath = serverOnPath();
            return onPath != null ? announce(onPath.toString(), fromPath(onPath)) : announce("embedded", embedded());
        } catch (IOException e) {
            throw new UncheckedIOException("no Redis for the tests", e);
        }
    }

    private static TestRedis announce(String what, TestRedis redis) {
        System.out.println("Tests use Redis at " + redis.uri() + " (" + what + ")");
        return redis;
    }

    private static boolean dockerIsThere() {
        ((Logger) LoggerFactory.getLogger("org.testcontainers")).setLevel(Level.OFF);
        return DockerClientFactory.instance().isDockerAvailable();
    }

    private static TestRedis inDocker() {
        @SuppressWarnings("resource") // Testcontainers removes it with the JVM.
        GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(IMAGE)).withExposedPorts(6379);
        container.start();
        return new TestRedis(container.getHost(), container.getMappedPort(6379));
    }

    private static Path serverOnPath() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(java.io.File.pathSeparator))
                .map(folder -> Path.of(folder, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    private static TestRedis fromPath(Path server) throws IOException {
        int port = freePort();
        Path dir = Files.createTempDirectory("limiter-test-redis");
        List<String> command = List.of(
                server.toString(), "--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--dir", dir.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("log").toFile())
                .start();
        onExit(() -> stop(process), dir);
        awaitListening(port);
        return new TestRedis("127.0.0.1", port);
    }

    private static TestRedis embedded() throws IOException {
        int port = freePort();
        Path dir = Files.createTempDirectory("limiter-test-redis");
        RedisServer server = RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("dir " + dir)
                .setting("save \"\"")
                .build();
        server.start();
        onExit(() -> stop(server), dir);
        return new TestRedis("127.0.0.1", port);
    }

    private static void stop(RedisServer server) {
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void stop(Process process) {
        process.destroy();
        try {
            process.waitFor(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void onExit(Runnable stop, Path dir) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop.run();
            try {
                MoreFiles.deleteRecursively(dir, RecursiveDeleteOption.ALLOW_INSECURE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
    }

    private static void awaitListening(int port) {
        org.awaitility.Awaitility.await()
                .atMost(10, TimeUnit.SECONDS)
                .ignoreExceptions()
                .until(() -> {
                    try (java.net.Socket socket = new java.net.Socket(InetAddress.getLoopbackAddress(), port)) {
                        return socket.isConnected();
                    }
                });
    }

    private static final class Holder {
        private static final TestRedis SHARED = start();
    }
}
