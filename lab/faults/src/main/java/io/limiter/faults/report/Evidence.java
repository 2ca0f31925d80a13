package io.limiter.faults.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which code results are about, and where they were obtained. None of its parts has a comma, so that each is a cell of a CSV.
 *
 * @param commit the last one that has changed the measured code, with a plus if there are changes that are in none
 * @param server its name and version, or that there was none
 */
public record Evidence(String commit, String date, String jvm, String server, int processors) {

    /** As the last columns of each table of results. */
    public static final List<String> COLUMNS = List.of("commit", "date", "jvm", "server", "processors");

    /**
     * The code, machine and JVM of this run, today.
     *
     * @param modules those whose code is measured, where {@code *} stands for any part of a name
     */
    public static Evidence here(String server, String... modules) {
        return new Evidence(
                lastCommit(modules),
                LocalDate.now(ZoneOffset.UTC).toString(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                server,
                Runtime.getRuntime().availableProcessors());
    }

    private static String lastCommit(String... modules) {
        String known = git(modules, "log", "-1", "--abbrev=8", "--format=%h");
        return git(modules, "status", "--porcelain").isEmpty() ? known : known + "+";
    }

    /** What git says about the code of modules; empty where there is no repository. */
    private static String git(String[] modules, String... arguments) {
        // From the root of the repository, wherever this runs.
        Stream<String> code = Arrays.stream(modules).map(module -> ":(top,glob)" + module + "/src/main/**");
        List<String> command = Stream.of(Stream.of("git"), Arrays.stream(arguments), Stream.of("--"), code)
                .flatMap(words -> words)
                .toList();
        try {
            Process git = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** One for each of {@link #COLUMNS}. */
    public List<String> cells() {
        return List.of(commit, date, jvm, server, Integer.toString(processors));
    }

    /** In a sentence. */
    @Override
    public String toString() {
        return "commit " + commit + ", " + date + ", " + jvm + ", " + server + ", " + processors + " processors";
    }
}
