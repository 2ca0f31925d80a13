package io.limiter.benchmark.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * Of what code figures are, and where they were taken. None of its parts has a comma, so that each is a cell of a CSV.
 *
 * @param commit the last one that has changed the limiter, with a plus if there are changes that are in none
 * @param server name and version of the one that decided; {@code none} if nothing called one
 */
public record Evidence(String commit, String date, String jvm, String server, int processors) {

    static final String HEADER = "commit,date,jvm,server,processors";

    private static final int CELLS = 5;

    /** What is measured. */
    private static final String CODE = "limiter-*/src/main";

    /** This code and machine, today. */
    public static Evidence here(String server) {
        return new Evidence(
                lastCommit(),
                LocalDate.now(ZoneOffset.UTC).toString(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                server,
                Runtime.getRuntime().availableProcessors());
    }

    private static String lastCommit() {
        // From the root of the repository, wherever this runs.
        String known = git("log", "-1", "--abbrev=8", "--format=%h", "--", ":(top,glob)" + CODE + "/**");
        return git("status", "--porcelain", "--", ":(top,glob)" + CODE + "/**").isEmpty() ? known : known + "+";
    }

    /** What git says; empty where there is no repository. */
    private static String git(String... arguments) {
        String[] command = new String[arguments.length + 1];
        command[0] = "git";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        try {
            Process git = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** A line of a CSV that ends with the cells of this, without them. */
    static String removed(String line) {
        String left = line;
        for (int i = 0; i < CELLS; i++) {
            left = left.substring(0, left.lastIndexOf(','));
        }
        return left;
    }

    /** In a sentence. */
    public String text() {
        return "commit " + commit + ", " + date + ", " + jvm + ", " + server + ", " + processors + " processors";
    }

    /** As the last cells of a line of a CSV. */
    @Override
    public String toString() {
        return String.join(",", commit, date, jvm, server, Integer.toString(processors));
    }
}
