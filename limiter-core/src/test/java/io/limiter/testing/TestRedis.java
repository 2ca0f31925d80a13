package io.limiter.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The Redis that the tests of this JVM use, started for the first test and ended with the JVM: the one
 * named by {@code -Dtest.redis=redis://host:port}, else one in Docker where Testcontainers is on the class path, else a
 * {@code redis-server} from the PATH, else the embedded one, so no test is ever skipped for want of it. Prints which.
 */
public final class TestRedis {

    // Keeps the sockets reachable: an unreachable one is closed when it is collected.
    private static final Queue<Socket> HELD = new ConcurrentLinkedQueue<>();

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

    /**
     * A port that refuses connections. A socket that does not listen holds it as long as this JVM lives, so that no other process
     * can listen there.
     */
    public static int closedPort() {
        try {
            @SuppressWarnings("resource") // It ends with the JVM.
            Socket held = new Socket();
            held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            HELD.add(held);
            return held.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static TestRedis start() {
        String given = System.getProperty("test.redis", "");
        if (!given.isBlank()) {
            URI uri = URI.create(given);
            return announce("given by -Dtest.redis", new TestRedis(uri.getHost(), uri.getPort()));
        }
        if (dockerMayBeThere() && Docker.isThere()) {
            return announce(Docker.IMAGE + " in Docker", Docker.start());
        }
        @SuppressWarnings("resource") // It ends with the JVM.
        RedisProcess redis = RedisProcess.start();
        return announce(RedisProcess.server(), new TestRedis("127.0.0.1", redis.port()));
    }

    private static TestRedis announce(String what, TestRedis redis) {
        System.out.println("Tests use Redis at " + redis.uri() + " (" + what + ")");
        return redis;
    }

    /**
     * Whether there is a place where Testcontainers finds it, which loads 800 classes in each JVM to look. Only modules whose tests
     * depend on what the server is have Testcontainers.
     */
    private static boolean dockerMayBeThere() {
        if (TestRedis.class.getResource("/org/testcontainers/DockerClientFactory.class") == null) {
            return false;
        }
        Path home = Path.of(System.getProperty("user.home"));
        return File.separatorChar != '/'
                || System.getenv("DOCKER_HOST") != null
                || Stream.of(
                                Path.of("/var/run/docker.sock"),
                                Path.of(System.getenv().getOrDefault("XDG_RUNTIME_DIR", "/run"), "docker.sock"),
                                home.resolve(".docker/run/docker.sock"),
                                home.resolve(".docker/desktop/docker.sock"),
                                home.resolve(".testcontainers.properties"))
                        .anyMatch(Files::exists);
    }

    /** All that needs Testcontainers. */
    private static final class Docker {

        private static final String IMAGE = "redis:8-alpine";

        static boolean isThere() {
            ((Logger) LoggerFactory.getLogger("org.testcontainers")).setLevel(Level.OFF);
            return DockerClientFactory.instance().isDockerAvailable();
        }

        static TestRedis start() {
            @SuppressWarnings("resource") // Testcontainers removes it with the JVM.
            GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(IMAGE)).withExposedPorts(6379);
            container.start();
            return new TestRedis(container.getHost(), container.getMappedPort(6379));
        }
    }

    private static final class Holder {
        private static final TestRedis SHARED = start();
    }
}
