package io.limiter.benchmark.measure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM with the class path of this one, so that its processor time is its own. It listens on a port and ends with this one, because it
 * reads its input to the end.
 */
public final class ChildJvm implements AutoCloseable {

    private static final String PORT = "port ";

    private final Process process;
    private final PrintStream input;
    private final int port;

    private ChildJvm(Process process, int port) {
        this.process = process;
        this.input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        this.port = port;
    }

    /**
     * Returns when it listens.
     *
     * @param main calls {@link #listens} once it does
     * @param heap such as {@code 512m}
     */
    public static ChildJvm start(Class<?> main, String heap, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseG1GC",
                "-Xms" + heap,
                "-Xmx" + heap,
                "-classpath",
                ManagementFactory.getRuntimeMXBean().getClassPath(),
                main.getName()));
        command.addAll(arguments);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(PORT)) {
                    drain(output);
                    return new ChildJvm(process, Integer.parseInt(line.substring(PORT.length())));
                }
                System.err.println(line);
            }
            throw new IllegalStateException(main.getSimpleName() + " has ended with " + process.waitFor());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void drain(BufferedReader output) {
        Thread reader = new Thread(() -> output.lines().forEach(System.err::println), "output-of-child");
        reader.setDaemon(true);
        reader.start();
    }

    /** To be called in the child. */
    public static void listens(int port) {
        System.out.println(PORT + port);
    }

    public int port() {
        return port;
    }

    public long pid() {
        return process.pid();
    }

    void send(String line) {
        input.println(line);
    }

    /** Processor time since its start. */
    public Duration cpuTime() {
        return process.info().totalCpuDuration().orElseThrow();
    }

    @Override
    public void close() {
        // At its end it deletes its temporary files.
        input.close();
        process.onExit().completeOnTimeout(null, 10, TimeUnit.SECONDS).join();
        process.destroyForcibly();
        process.onExit().join();
    }
}
