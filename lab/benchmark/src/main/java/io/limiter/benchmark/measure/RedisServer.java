package io.limiter.benchmark.measure;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import com.google.common.util.concurrent.Uninterruptibles;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis without persistence that lives as long as this JVM at most: a {@code redis-server} from the PATH, else the
 * embedded one. It can be stopped, and goes on as if nothing had been.
 */
public final class RedisServer implements AutoCloseable {

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Process process;
    private final int port;
    private final Path dir;
    private final String origin;

    private RedisServer(Process process, int port, Path dir, String origin) {
        this.process = process;
        this.port = port;
        this.dir = dir;
        this.origin = origin;
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    /**
     * Returns when it accepts connections.
     *
     * @param settings as on the command line
     */
    public static RedisServer start(String... settings) {
        try {
            while (true) {
                RedisServer server = startOn(freePort(), settings);
                String log = server.awaitStart();
                if (server.process.isAlive()) {
                    return server;
                }
                server.close();
                // Another process may have taken the port meanwhile.
                if (!log.contains("Address already in use")) {
                    throw new IOException(log);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("no Redis could be started; name one with -Dredis=redis://host:port", e);
        }
    }

    private static RedisServer startOn(int port, String... settings) throws IOException {
        Path dir = Files.createTempDirectory("limiter-benchmark-redis");
        Optional<Path> onPath = Arrays.stream(
                        System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst();
        Path command = onPath.isPresent()
                ? onPath.get()
                : ExecutableProvider.newJarResourceProvider(dir.toFile()).get().toPath();
        List<String> words = new ArrayList<>(List.of(
                command.toString(), "--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--dir", dir.toString()));
        words.addAll(List.of(settings));
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("log").toFile())
                .start();
        return new RedisServer(process, port, dir, onPath.isPresent() ? "redis-server from the PATH" : "embedded");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Until it accepts connections or has ended; returns its log. */
    private String awaitStart() throws IOException {
        long start = System.nanoTime();
        Path log = dir.resolve("log");
        while (process.isAlive() && !Files.readString(log).contains("eady to accept connections")) {
            if (System.nanoTime() - start > START_NANOS) {
                process.destroyForcibly();
            }
            Uninterruptibles.sleepUninterruptibly(10, TimeUnit.MILLISECONDS);
        }
        return Files.readString(log);
    }

    public int port() {
        return port;
    }

    /** Where it comes from, to be shown. */
    String origin() {
        return origin;
    }

    /** Its name and version, as it logs them when it starts. */
    public String version() throws IOException {
        Matcher version = Pattern.compile("(\\w+) version=([^,\\s]+)").matcher(Files.readString(dir.resolve("log")));
        return version.find() ? version.group(1) + " " + version.group(2) : "unknown";
    }

    /** It neither answers nor closes connections from now on. */
    public void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    public void goOn() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int failed = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (failed != 0) {
            throw new IOException("kill -" + name + " has failed");
        }
    }

    @Override
    public synchronized void close() {
        process.destroyForcibly();
        process.onExit().join();
        try {
            if (Files.exists(dir)) {
                MoreFiles.deleteRecursively(dir, RecursiveDeleteOption.ALLOW_INSECURE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
