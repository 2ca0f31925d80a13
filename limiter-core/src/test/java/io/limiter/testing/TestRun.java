package io.limiter.testing;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** What the build does before and after a module's tests; Maven runs it. */
public final class TestRun {

    private TestRun() {}

    /**
     * @param arguments {@code before} or {@code after}, the module, its folder of temporary files, and that of its reports
     * @throws IllegalStateException after tests that have left a file or a process behind
     */
    public static void main(String[] arguments) throws IOException, XMLStreamException {
        String module = arguments[1];
        Path temporary = Path.of(arguments[2]);
        Path reports = Path.of(arguments[3]);
        if (arguments[0].equals("before")) {
            // Of an earlier run.
            delete(reports);
            delete(temporary);
            Files.createDirectories(temporary);
        } else {
            System.out.println(module + ": " + counts(reports));
            check(module, temporary);
        }
    }

    static void check(String module, Path temporary) throws IOException {
        List<String> left = leftBehind(temporary);
        if (!left.isEmpty()) {
            throw new IllegalStateException("the tests of " + module + " left behind " + String.join(", ", left)
                    + "; close what they start in @AfterEach or @AfterAll");
        }
    }

    /** One line. */
    static String counts(Path reports) throws IOException, XMLStreamException {
        Map<String, Integer> counts = new HashMap<>();
        if (Files.isDirectory(reports)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(reports, "TEST-*.xml")) {
                for (Path file : files) {
                    count(file, counts);
                }
            }
        }
        int failed = counts.getOrDefault("failure", 0) + counts.getOrDefault("error", 0);
        int skipped = counts.getOrDefault("skipped", 0);
        int passed = counts.getOrDefault("testcase", 0) - failed - skipped;
        return String.format(Locale.ROOT, "%d passed, %d failed, %d skipped", passed, failed, skipped);
    }

    /** Elements by name: Surefire's total of a class leaves out tests of nested classes that share a name. */
    private static void count(Path report, Map<String, Integer> counts) throws IOException, XMLStreamException {
        try (Reader reader = Files.newBufferedReader(report)) {
            XMLStreamReader xml = XMLInputFactory.newFactory().createXMLStreamReader(reader);
            while (xml.hasNext()) {
                if (xml.next() == XMLStreamConstants.START_ELEMENT) {
                    counts.merge(xml.getLocalName(), 1, Integer::sum);
                }
            }
        }
    }

    /** Files in the folder, and processes that run a file of it, run in it or have it in their command line; these are ended. */
    static List<String> leftBehind(Path temporary) throws IOException {
        List<String> left = new ArrayList<>();
        if (Files.isDirectory(temporary)) {
            try (Stream<Path> files = Files.list(temporary)) {
                files.forEach(file -> left.add("the file " + file));
            }
        }
        ProcessHandle.allProcesses().filter(process -> isOf(process, temporary)).forEach(process -> {
            left.add("the process " + process.pid() + " "
                    + process.info().commandLine().orElse(""));
            process.destroyForcibly();
        });
        return left;
    }

    private static boolean isOf(ProcessHandle process, Path temporary) {
        return process.info().commandLine().orElse("").contains("-Djava.io.tmpdir=" + temporary)
                || link(process, "exe").startsWith(temporary.toString())
                || link(process, "cwd").startsWith(temporary.toString());
    }

    /** Redis changes its command line; on Linux this still shows where it is from. */
    private static String link(ProcessHandle process, String name) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), name))
                    .toString();
        } catch (IOException e) {
            // Another system, another user's process, or one that has just ended.
            return "";
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }
}
