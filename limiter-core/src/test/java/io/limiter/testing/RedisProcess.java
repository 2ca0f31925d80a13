package io.limiter.testing;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.awaitility.Awaitility;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis for one test, which can stop, kill and restart it empty on the same port. Unclosed ones end with
 * the JVM, and leave no file.
 */
public final class RedisProcess implements AutoCloseable {

    private static final int FIRST_PORT = 17_000;
    private static final int LAST_PORT = 22_000;
    private static final int BUS_OFFSET = 10_000;

    private static final Set<RedisProcess> OPEN = ConcurrentHashMap.newKeySet();
    private static final Set<Integer> USED = ConcurrentHashMap.newKeySet();

    private final int port;
    private final Path dir;
    private final List<String> arguments;
    private Process process;

    private RedisProcess(int port, Path dir, List<String> arguments) {
        this.port = port;
        this.dir = dir;
        this.arguments = arguments;
    }

    /**
     * @param settings more of them, as on the command line; with a certificate, the port is the one for TLS
     */
    public static RedisProcess start(String... settings) {
        return start(dir -> {
            List<String> arguments = new ArrayList<>(List.of("--save", "", "--appendonly", "no"));
            arguments.addAll(List.of(settings));
            return arguments;
        });
    }

    /**
     * A Sentinel.
     *
     * @param settings lines of its file
     */
    static RedisProcess sentinel(String... settings) {
        return start(dir -> List.of(
                Files.write(dir.resolve("sentinel.conf"), List.of(settings)).toString(), "--sentinel"));
    }

    private static RedisProcess start(Arguments arguments) {
        // First, so that its hook is there before anything is.
        Server.path();
        while (true) {
            try {
                Path dir = Files.createTempDirectory("limiter-test-redis");
                RedisProcess redis = new RedisProcess(freePort(), dir, arguments.in(dir));
                OPEN.add(redis);
                redis.launch();
                if (redis.process.isAlive()) {
                    return redis;
                }
                String log = redis.log();
                redis.close();
                if (!log.contains("Address already in use")) {
                    throw new IllegalStateException("no Redis for the test: " + log);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("no Redis for the test", e);
            }
        }
    }

    /**
     * A port that is free now, and so is its Cluster bus, 10,000 above. Each is named once: a killed server is started again
     * on its own. No client gets one of these by chance, as it could get an ephemeral port.
     */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            if (!USED.contains(port) && isFree(port) && isFree(port + BUS_OFFSET) && USED.add(port)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** What runs: a {@code redis-server} from the PATH, else the embedded one. */
    static String server() {
        return Server.path().toString();
    }

    public int port() {
        return port;
    }

    /** The process id. */
    long pid() {
        return process.pid();
    }

    /** It neither answers nor closes connections from now on. */
    public void stop() {
        signal("STOP");
    }

    public void goOn() {
        signal("CONT");
    }

    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /**
     * Empty, and on the same port.
     *
     * @throws IllegalStateException if it does not start, for example because another process has taken the port
     */
    public void startAgain() throws IOException {
        launch();
        if (!process.isAlive()) {
            throw new IllegalStateException("no Redis for the test: " + log());
        }
    }

    private void launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(server()));
        command.addAll(arguments);
        command.addAll(
                arguments.contains("--tls-cert-file")
                        ? List.of("--port", "0", "--tls-port", "" + port)
                        : List.of("--port", "" + port));
        command.addAll(List.of("--bind", "127.0.0.1", "--dir", dir.toString()));
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("log").toFile())
                .start();
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .ignoreExceptions()
                .until(() -> {
                    // A connection does not show it, because another Redis may have taken the port.
                    String log = log();
                    return !process.isAlive()
                            || log.contains("eady to accept connections")
                            || log.contains("Sentinel ID is");
                });
    }

    private String log() throws IOException {
        return Files.readString(dir.resolve("log"));
    }

    private void signal(String name) {
        signal(Long.toString(process.pid()), name);
    }

    static void signal(String processId, String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, processId).start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill -" + name + " has failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        kill();
        OPEN.remove(this);
        delete(dir);
    }

    private static void delete(Path folder) {
        try {
            MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Arguments {
        List<String> in(Path dir) throws IOException;
    }

    /** Looked for, or unpacked, once. */
    private static final class Server {

        private static final Path PATH = find();

        static Path path() {
            return PATH;
        }

        private static Path find() {
            return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(java.io.File.pathSeparator))
                    .map(folder -> Path.of(folder, "redis-server"))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .map(path -> {
                        Runtime.getRuntime().addShutdownHook(new Thread(Server::closeAll));
                        return path;
                    })
                    .orElseGet(Server::unpack);
        }

        private static Path unpack() {
            try {
                Path folder = Files.createTempDirectory("limiter-test-server");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    closeAll();
                    delete(folder);
                }));
                return ExecutableProvider.newJarResourceProvider(folder.toFile())
                        .get()
                        .toPath();
            } catch (IOException e) {
                throw new UncheckedIOException("no Redis for the tests", e);
            }
        }

        private static void closeAll() {
            OPEN.forEach(RedisProcess::close);
        }
    }
}
