package io.limiter.testing;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import redis.embedded.core.ExecutableProvider;

/** A Redis of one test's own, that it can stop, kill and start again empty on the same port. */
public final class RedisProcess implements AutoCloseable {

    private final int port;
    private final Path dir;
    private final List<String> settings;
    private Process process;

    private RedisProcess(int port, Path dir, List<String> settings) {
        this.port = port;
        this.dir = dir;
        this.settings = settings;
    }

    public static RedisProcess start() {
        return startOn(TestRedis.freePort());
    }

    /**
     * @param settings more of them, as on the command line
     */
    public static RedisProcess startOn(int port, String... settings) {
        try {
            RedisProcess redis =
                    new RedisProcess(port, Files.createTempDirectory("limiter-test-redis"), List.of(settings));
            redis.startAgain();
            return redis;
        } catch (IOException e) {
            throw new UncheckedIOException("no Redis for the test", e);
        }
    }

    public int port() {
        return port;
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
        List<String> command = new ArrayList<>(List.of(
                server(), "--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir"));
        command.add(dir.toString());
        command.addAll(settings);
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("log").toFile())
                .start();
        Awaitility.await().atMost(1, TimeUnit.MINUTES).ignoreExceptions().until(() -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            }
        });
    }

    private static String server() throws IOException {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(java.io.File.pathSeparator)) {
            Path onPath = Path.of(folder, "redis-server");
            if (Files.isExecutable(onPath)) {
                return onPath.toString();
            }
        }
        return ExecutableProvider.newJarResourceProvider().get().getAbsolutePath();
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .inheritIO()
                    .start();
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
        try {
            MoreFiles.deleteRecursively(dir, RecursiveDeleteOption.ALLOW_INSECURE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
