package io.limiter.faults.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis on a port of its own that can be stopped, killed and started again: the {@code redis-server} of the PATH, or else the
 * one that the build brings.
 */
public final class RedisServer implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(30);

    /** From this version on, settings have to allow {@code DEBUG}, and {@code CONFIG SET} of files and folders. */
    private static final int FIRST_PROTECTED = 7;

    /** Before this version, connections come from the first address that the server is bound to. */
    private static final int FIRST_WITH_SOURCE_ADDRESS = 7;

    private final int port;
    private final Path folder;
    private final List<String> command;
    private final Map<String, String> environment;
    private @Nullable Process process;

    private RedisServer(int port, Path folder, List<String> command, Map<String, String> environment) {
        this.port = port;
        this.folder = folder;
        this.command = command;
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

    /** A node of a Cluster, whose bus has a port of its own. */
    static RedisServer startNode(String... settings) throws IOException, InterruptedException {
        return start(freeNodePort(), Map.of(), settings);
    }

    /** A Sentinel that watches nothing yet. Its connections come from {@link Network#SENTINEL}. */
    static RedisServer startSentinel() throws IOException, InterruptedException {
        Path folder = Leftovers.folder();
        Path file = Files.createFile(folder.resolve("sentinel.conf"));
        String address = Network.SENTINEL.getHostAddress();
        List<String> command = new ArrayList<>(
                List.of(Binary.PATH.toString(), file.toString(), "--sentinel", "--bind", address, "127.0.0.1"));
        if (Binary.MAJOR >= FIRST_WITH_SOURCE_ADDRESS) {
            command.addAll(List.of("--bind-source-addr", address));
        }
        RedisServer sentinel = new RedisServer(freePort(), folder, command, Map.of());
        sentinel.startAgain();
        return sentinel;
    }

    private static RedisServer start(Map<String, String> environment, String... settings)
            throws IOException, InterruptedException {
        return start(freePort(), environment, settings);
    }

    private static RedisServer start(int port, Map<String, String> environment, String... settings)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Binary.PATH.toString(), "--save", "", "--bind", "127.0.0.1"));
        // From Redis 7 on, it would reject the Sentinel, which comes from another address of this machine.
        command.addAll(List.of("--protected-mode", "no"));
        if (Binary.MAJOR >= FIRST_PROTECTED) {
            command.addAll(List.of("--enable-debug-command", "local", "--enable-protected-configs", "local"));
        }
        command.addAll(List.of(settings));
        RedisServer redis = new RedisServer(port, Leftovers.folder(), command, environment);
        redis.startAgain();
        return redis;
    }

    /** One whose bus, 10,000 above, is free too, and below those that the system gives to clients. */
    private static int freeNodePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(12_000, 17_000);
            try (ServerSocket node = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                    ServerSocket bus = new ServerSocket(port + 10_000, 1, InetAddress.getLoopbackAddress())) {
                return node.getLocalPort();
            } catch (IOException e) {
                // Another one, then.
            }
        }
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
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of("--port", "" + port, "--dir", folder.toString()));
        ProcessBuilder builder = new ProcessBuilder(words)
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

    /** Returns when it has ended by itself. */
    public void awaitEnd() {
        Leftovers.awaitEnd(running());
    }

    /** One command on a connection of its own; see {@link RedisConsole#command}. */
    public String command(String... words) throws IOException {
        try (RedisConsole console = new RedisConsole(port)) {
            return console.command(words);
        }
    }

    /** Returns when a line of {@code INFO} says so. */
    void await(String name, String value) throws IOException, InterruptedException {
        Awaited.await(() -> info(name).equals(value), "Redis on port " + port + " has no " + name + ":" + value);
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

    /** Its name and version, such as {@code Redis 8.0.2} or {@code Valkey 9.1.2}. */
    public static String version() {
        return Binary.VERSION;
    }

    /** Looked for, or unpacked, once. */
    private static final class Binary {

        private static final Pattern NAME_AND_VERSION = Pattern.compile("(\\w+) server v=((\\d+)\\S*).*");

        static final Path PATH;
        static final String VERSION;
        static final int MAJOR;

        static {
            try {
                PATH = Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .map(folder -> Path.of(folder, "redis-server"))
                        .filter(Files::isExecutable)
                        .findFirst()
                        .orElseGet(Binary::unpack);
                Process process = new ProcessBuilder(PATH.toString(), "--version").start();
                String line = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
                Matcher matcher = NAME_AND_VERSION.matcher(line);
                if (!matcher.matches()) {
                    throw new IllegalStateException(
                            PATH + " --version printed '" + line + "', and not a Redis's version");
                }
                VERSION = matcher.group(1) + " " + matcher.group(2);
                MAJOR = Integer.parseInt(matcher.group(3));
            } catch (IOException e) {
                throw new UncheckedIOException("the Redis cannot be run", e);
            }
        }

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
