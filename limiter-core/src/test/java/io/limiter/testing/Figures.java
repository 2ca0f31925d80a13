package io.limiter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the pages that tests measure. With {@code -Dfigures=docs/figures.csv} they are written to that file, each with the
 * code that was measured, the JVM, the server and the number of processors. {@code DocsTest} compares the pages with the file.
 */
public final class Figures {

    private static final String HEADER = "page,figure,value,commit,date,jvm,server,processors";
    private static final String CODE = ":(top,glob)limiter-*/src/main/**";
    private static final @Nullable String FILE = System.getProperty("figures");

    private Figures() {}

    /**
     * Replaces the figure in the file, if there is one.
     *
     * @param page the page that shows the figure, such as {@code docs/limits.md}
     * @param figure its name, without a comma
     * @param value as the page shows it
     * @param server the name and the version of the Redis that was measured, or {@code no server}
     */
    public static synchronized void record(String page, String figure, String value, String server) {
        if (FILE == null) {
            return;
        }
        String name = page + "," + figure + ",";
        // Tests run in the folder of their module, and some at the same time in another JVM.
        try (FileChannel file = FileChannel.open(
                        Path.of("..").resolve(FILE),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
                FileLock lock = file.lock()) {
            ByteBuffer written = ByteBuffer.allocate((int) file.size());
            while (written.hasRemaining() && file.read(written) >= 0) {}
            List<String> rows = new ArrayList<>(
                    new String(written.array(), StandardCharsets.UTF_8).lines().toList());
            rows.removeIf(row -> row.equals(HEADER) || row.startsWith(name));
            rows.add(name + (value.contains(",") ? "\"" + value + "\"" : value) + "," + evidence(server));
            rows.sort(null);
            rows.add(0, HEADER);
            file.truncate(0);
            file.write(ByteBuffer.wrap((String.join("\n", rows) + "\n").getBytes(StandardCharsets.UTF_8)), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A number of bytes, as the pages write it. */
    public static String bytes(long bytes) {
        return String.format(Locale.ROOT, "%,d", bytes);
    }

    /** A number with one decimal. */
    public static String oneDecimal(double number) {
        return String.format(Locale.ROOT, "%.1f", number);
    }

    private static String evidence(String server) throws IOException {
        String commit = git("log", "-1", "--abbrev=8", "--format=%h", "--", CODE);
        String changed = git("status", "--porcelain", "--", CODE).isEmpty() ? "" : "+";
        return String.join(
                ",",
                commit + changed,
                LocalDate.now(ZoneOffset.UTC).toString(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                server,
                Integer.toString(Runtime.getRuntime().availableProcessors()));
    }

    private static String git(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        Process git = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
