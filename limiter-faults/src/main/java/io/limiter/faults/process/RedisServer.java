package io.limiter.faults.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/** A Redis on a port of its own that can be stopped, killed and started again: the one that the build brings. */
public final class RedisServer implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(30);

    private final int port;
    private final Path folder;
    private final List<String> settings;
    private final Map<String, String> environment;
    private @Nullable Process process;

    private RedisServer(int port, Path folder, List<String> settings, Map<String, String> environment) {
        this.port = port;
        this.folder = folder;
        this.settings = settings;
        this.environment = environment;
    }

    /**
     * Without persistence, unless the settings say otherwise.
     *
     * @param settings as on the command line, such as {@code "--appendonly", "yes"}
     */
    public static RedisServer start(String... settings) throws IOException, InterruptedException {
        return start(Map.of(), settings);
    }

    /** The same, by a clock that can be stepped. */
    public static RedisServer start(ServerClock clock, String... settings) throws IOException, InterruptedException {
        return start(clock.environment(), settings);
    }

    private static RedisServer start(Map<String, String> environment, String... settings)
            throws IOException, InterruptedException {
        RedisServer redis = new RedisServer(freePort(), Leftovers.folder(), List.of(settings), environment);
        redis.startAgain();
        return redis;
    }

    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** On the same port, with what it has saved. */
    public void startAgain() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Binary.PATH.toString(), "--save", ""));
        command.addAll(settings);
        command.addAll(List.of("--port", "" + port, "--bind", "127.0.0.1", "--dir", folder.toString()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()));
        builder.environment().putAll(environment);
        process = Leftovers.start(builder);
        awaitAnswer();
    }

    private void awaitAnswer() throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (true) {
            try {
                command("PING");
                return;
            } catch (IOException e) {
                boolean late = System.nanoTime() - start > START.toNanos();
                if (late || process == null || !process.isAlive()) {
                    throw new IOException(
                            "no Redis on port " + port + ": " + Files.readString(folder.resolve("log")), e);
                }
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
    }

    public int port() {
        return port;
    }

    /** It neither answers nor closes connections from now on. */
    public void stop() throws IOException, InterruptedException {
        Signals.send(running().pid(), "STOP");
    }

    public void goOn() throws IOException, InterruptedException {
        Signals.send(running().pid(), "CONT");
    }

    /** Its port refuses connections from now on. */
    public void kill() {
        Leftovers.kill(running());
    }

    /** One command on a connection of its own; see {@link RedisConsole#command}. */
    public String command(String... words) throws IOException {
        try (RedisConsole console = new RedisConsole(port)) {
            return console.command(words);
        }
    }

    /** One line of {@code INFO}. */
    public String info(String name) throws IOException {
        return command("INFO", "all")
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    private Process running() {
        if (process == null) {
            throw new IllegalStateException("Redis was not started");
        }
        return process;
    }

    @Override
    public void close() {
        if (process != null) {
            Leftovers.kill(process);
        }
        Leftovers.delete(folder);
    }

    /** Unpacked once. */
    private static final class Binary {

        static final Path PATH = unpack();

        private static Path unpack() {
            try {
                return ExecutableProvider.newJarResourceProvider(
                                Leftovers.folder().toFile())
                        .get()
                        .toPath();
            } catch (IOException e) {
                throw new UncheckedIOException("no Redis for this system", e);
            }
        }
    }
}
