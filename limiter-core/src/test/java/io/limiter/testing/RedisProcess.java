package io.limiter.testing;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis for one test, which can stop, kill and restart it empty on the same port. Unclosed ones end with
 * the JVM, and leave no file.
 */
public final class RedisProcess implements AutoCloseable {

    private static final Set<RedisProcess> OPEN = ConcurrentHashMap.newKeySet();

    private final int port;
    private final Path dir;
    private final List<String> arguments;
    private Process process;

    private RedisProcess(int port, Path dir, List<String> arguments) {
        this.port = port;
        this.dir = dir;
        this.arguments = arguments;
    }

    public static RedisProcess start() {
        while (true) {
            RedisProcess redis = startOn(TestRedis.freePort());
            if (redis.process.isAlive()) {
                return redis;
            }
            // Somebody else has taken the port meanwhile.
            redis.close();
        }
    }

    /**
     * @param settings more of them, as on the command line
     */
    public static RedisProcess startOn(int port, String... settings) {
        try {
            Path dir = Files.createTempDirectory("limiter-test-redis");
            List<String> arguments = new ArrayList<>(List.of("--save", "", "--appendonly", "no"));
            arguments.addAll(List.of(settings));
            return start(port, dir, arguments);
        } catch (IOException e) {
            throw new UncheckedIOException("no Redis for the test", e);
        }
    }

    /**
     * A Sentinel.
     *
     * @param settings lines of its file
     */
    static RedisProcess sentinel(int port, String... settings) {
        try {
            Path dir = Files.createTempDirectory("limiter-test-sentinel");
            Path file = Files.write(dir.resolve("sentinel.conf"), List.of(settings));
            return start(port, dir, List.of(file.toString(), "--sentinel"));
        } catch (IOException e) {
            throw new UncheckedIOException("no Sentinel for the test", e);
        }
    }

    private static RedisProcess start(int port, Path dir, List<String> arguments) throws IOException {
        // First, so that its hook is there before anything is.
        Server.path();
        RedisProcess redis = new RedisProcess(port, dir, arguments);
        OPEN.add(redis);
        redis.startAgain();
        return redis;
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

    /** Empty, and on the same port. */
    public void startAgain() throws IOException {
        List<String> command = new ArrayList<>(List.of(server()));
        command.addAll(arguments);
        command.addAll(List.of("--port", "" + port, "--bind", "127.0.0.1", "--dir", dir.toString()));
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
                    // Not by a connection: another Redis may have taken the port meanwhile.
                    String log = Files.readString(dir.resolve("log"));
                    return !process.isAlive()
                            || log.contains("eady to accept connections")
                            || log.contains("Sentinel ID is");
                });
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
