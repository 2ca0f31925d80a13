package io.limiter.faults.process;

import io.limiter.faults.account.AccountFile;
import io.limiter.faults.account.Entry;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@link Member} as its parent sees it. */
public final class MemberProcess implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 90;

    /** Which of the JVM's compilers members have: those of this one. */
    private static final List<String> COMPILERS = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(argument -> argument.startsWith("-XX:TieredStopAtLevel="))
            .toList();

    private final Process process;
    private final Path folder;
    private final Writer orders;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private boolean ended;

    private MemberProcess(Process process, Path folder) {
        this.process = process;
        this.folder = folder;
        this.orders = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "member-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * It may not be ready yet.
     *
     * @param prefix words before the command, such as {@code nice}
     */
    public static MemberProcess start(
            Endpoint redis, MemberSettings settings, long seed, List<String> prefix, String classPath)
            throws IOException {
        Path folder = Leftovers.folder();
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-Xms128m",
                "-Xmx256m",
                "-Xss512k",
                "-XX:+UseSerialGC",
                // Its file would outlive a JVM that is killed.
                "-XX:-UsePerfData"));
        command.addAll(COMPILERS);
        command.add(Member.class.getName());
        command.addAll(settings.at(redis, seed, folder.resolve("account")).arguments());
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(folder.resolve("log").toFile());
        // Not an argument, which would fill lists of processes.
        builder.environment().put("CLASSPATH", classPath);
        return new MemberProcess(Leftovers.start(builder), folder);
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                answers.add(line);
            }
        } catch (IOException e) {
            // It has ended.
        }
    }

    /** Returns when all its threads call. */
    public void awaitReady() throws IOException, InterruptedException {
        await("ready");
    }

    private void await(String expected) throws IOException, InterruptedException {
        String answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (!expected.equals(answer)) {
            throw new IOException("a member said " + answer + " instead of " + expected + ": "
                    + Files.readString(folder.resolve("log")));
        }
    }

    public void pause() throws IOException, InterruptedException {
        Signals.send(process.pid(), "STOP");
    }

    public void goOn() throws IOException, InterruptedException {
        Signals.send(process.pid(), "CONT");
    }

    public void kill() {
        Leftovers.kill(process);
    }

    /** Whether it had no time to close its limiters. */
    public boolean wasKilled() {
        return !isAlive() && !ended;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Closes its factory while its threads call. */
    public void closeLimiters() throws IOException, InterruptedException {
        order("close");
        await("closed");
    }

    /** Returns when it knows of so many instances. */
    public void awaitInstances(int count) throws IOException, InterruptedException {
        for (int i = 0; i < 10 * PATIENCE_SECONDS; i++) {
            order("instances");
            if (Integer.toString(count).equals(answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS))) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        throw new IOException("a member does not know of " + count + " instances");
    }

    /** What it uses now; it collects its garbage for that. */
    public Use measure() throws IOException, InterruptedException {
        order("measure");
        String answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (answer == null) {
            throw new IOException("a member does not measure itself");
        }
        int separator = answer.indexOf(' ');
        return new Use(
                Long.parseLong(answer.substring(0, separator)), Integer.parseInt(answer.substring(separator + 1)));
    }

    /** What a JVM uses: of the heap after a collection, and threads. */
    public record Use(long heapBytes, int threads) {}

    /** Its limiters stay open. */
    public void endCalls() throws IOException, InterruptedException {
        if (isAlive()) {
            order("stop");
            await("stopped");
        }
    }

    /** Ends its calls, closes its limiters, and ends it. */
    public void end() throws IOException, InterruptedException {
        if (isAlive()) {
            endCalls();
            closeLimiters();
            ended = true;
            kill();
        }
    }

    private void order(String order) throws IOException {
        orders.write(order + "\n");
        orders.flush();
    }

    public List<Entry> account() throws IOException {
        return AccountFile.read(folder.resolve("account"));
    }

    public long linesLogged() throws IOException {
        try (Stream<String> lines = Files.lines(folder.resolve("log"), StandardCharsets.ISO_8859_1)) {
            return lines.count();
        }
    }

    @Override
    public void close() {
        kill();
        Leftovers.delete(folder);
    }
}
