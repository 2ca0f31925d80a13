package io.limiter.faults.report;

import io.limiter.faults.process.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/**
 * Of what code results are, and where they were obtained.
 *
 * @param commit the last one that has changed the limiter, with a plus if the run has changes that are in none
 * @param server its name and version
 */
public record Environment(LocalDate date, String commit, String jvm, String server, int processors) {

    /** As the last columns of each table of results. */
    static final List<String> COLUMNS = List.of("commit", "date", "jvm", "server", "processors");

    /** What is measured. */
    private static final String[] CODE = {"limiter-core/src/main", "limiter-live/src/main"};

    /** This code, machine and Redis, today. */
    public static Environment here() {
        return new Environment(
                LocalDate.now(ZoneOffset.UTC),
                lastCommit(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                RedisServer.version(),
                Runtime.getRuntime().availableProcessors());
    }

    private static String lastCommit() {
        String known = git("log", "-1", "--abbrev=8", "--format=%h");
        return git("status", "--porcelain").isEmpty() ? known : known + "+";
    }

    /** What git says of the code; empty where there is no repository. */
    private static String git(String... command) {
        String[] all = new String[command.length + CODE.length + 2];
        all[0] = "git";
        System.arraycopy(command, 0, all, 1, command.length);
        all[command.length + 1] = "--";
        System.arraycopy(CODE, 0, all, command.length + 2, CODE.length);
        try {
            Process git = new ProcessBuilder(all)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** A cell for each of {@link #COLUMNS}. */
    Map<String, String> cells() {
        return Map.of(
                "commit",
                commit,
                "date",
                date.toString(),
                "jvm",
                jvm,
                "server",
                server,
                "processors",
                Integer.toString(processors));
    }

    @Override
    public String toString() {
        return date + ", commit " + commit + ", " + jvm + ", " + server + ", " + processors + " processors";
    }
}
