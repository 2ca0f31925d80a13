package io.limiter.benchmark.report;

import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Guarantee;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The page by which users decide, the one for contributors with all else, and every figure as CSV. Tables are of the first run. The
 * figures of outages are in a CSV of their own, next to the other.
 *
 * @param users where their page is
 * @param contributors the same of theirs
 * @param figures the same of the CSV
 */
public record BenchmarkPages(Path users, Path contributors, Path figures) {

    private static final String MEASURED = "## How it was measured";

    private static final String TITLE_FOR_USERS = "# Rate limiters side by side";
    private static final String FOR_USERS = """
            Load and Redis share one machine (%s). The floor, a raw `EVALSHA` over Lettuce, reads and writes
            one key and limits nothing. **× floor** and **× peer** are ratios within the same round. The best peer is the fastest
            limiter that never exceeds its limit. All figures are medians. Compare them only within one run, because another machine, or
            the same one on another day, gives other figures: runs by others on a quiet machine with two processors had 1.8 × the best
            peer with one thread, 1.1 to 1.2 × with 16 threads and 1.3 to 1.5 × with 64.

            [More tables](%s) show other rates, virtual threads, other round trips and servers, and what each
            limiter promises. [%s](%s) has all figures, and the spread of the rates.
            """;

    private static final String TITLE_FOR_CONTRIBUTORS = """
            # Benchmark: more tables

            [The page for users](%s) has the summary and explains the columns.
            [CONTRIBUTING](../../CONTRIBUTING.md#measure) has the commands of single sections.
            """;
    private static final String NAMES = """
            `raw-evalsha` is the floor. [%s](%s) has all figures, with the least and the most in brackets.
            There, **⚠** marks subjects that exceeded their limit. *Hot* means one key, and *uniform* means 10,000 equally frequent keys.
            Calls, processor time and bytes are per decision. Those of the client include the load generator, which runs in the same JVM.
            """;

    /** What names do not say. */
    private static final Map<String, String> NOTES = Map.of(
            "limiter-yield", "threads yield for up to 1 ms before they park",
            "limiter-prefetch", "for 100 ms",
            "gateway-script", "equivalent to that of Spring Cloud Gateway's `RedisRateLimiter`");

    /**
     * Writes all of them.
     *
     * @param runs at least one, each on another JDK
     * @param whole whether the runs are the whole comparison; otherwise figures that they do not have stay, and what is said of
     *     all sections. Sections that they do not have stay in any case
     */
    public void write(List<Results> runs, boolean whole) throws IOException {
        write(users, merged(text(users), forUsers(runs), whole));
        write(contributors, merged(text(contributors), forContributors(runs), whole));
        write(figures, figures(runs, whole ? "" : text(figures)));
        if (runs.stream().anyMatch(run -> !run.outages().isEmpty())) {
            Path outages = figures.resolveSibling(OutageFigures.FILE);
            write(outages, OutageFigures.text(runs, text(outages)));
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.toAbsolutePath().resolveSibling(""));
        Files.writeString(file, text);
    }

    /** Empty if there is no such file. */
    private static String text(Path file) throws IOException {
        return Files.exists(file) ? Files.readString(file) : "";
    }

    private String forUsers(List<Results> runs) {
        Markdown page = tables(TITLE_FOR_USERS, runs, true);
        page.add(String.format(
                Locale.ROOT,
                FOR_USERS,
                runs.get(0).environment().system(),
                link(users, contributors),
                figures.getFileName(),
                link(users, figures)));
        return page.toString();
    }

    private String forContributors(List<Results> runs) {
        Results first = runs.get(0);
        Markdown page = tables(String.format(TITLE_FOR_CONTRIBUTORS, link(contributors, users)), runs, false);
        page.list(runs.stream().map(run -> text(run.environment())).toList());
        page.add("What each promises:");
        page.list(Arrays.stream(Guarantee.values())
                .map(guarantee -> promise(guarantee, first.contenders()))
                .filter(promise -> !promise.isEmpty())
                .toList());
        page.add(String.format(NAMES, figures.getFileName(), link(contributors, figures)));
        return page.toString();
    }

    private static String link(Path from, Path to) {
        return from.toAbsolutePath()
                .resolveSibling("")
                .relativize(to.toAbsolutePath())
                .toString();
    }

    /** A page up to what is said of all its tables. */
    private static Markdown tables(String title, List<Results> runs, boolean forUsers) {
        Markdown page = new Markdown();
        page.add(title);
        List<String> problems =
                runs.stream().flatMap(run -> run.problems().stream()).toList();
        if (!problems.isEmpty()) {
            page.add("**Not to be used:**");
            page.list(problems);
        }
        Results first = runs.get(0);
        List<Section> sections = Stream.concat(sections(first).stream(), Stream.of(OutageTable.of(first)))
                .toList();
        for (Section section : sections) {
            List<List<String>> rows = section.rows(forUsers);
            if (!rows.isEmpty()) {
                page.add("## " + first.titled(section.title()));
                page.add(section.before());
                page.table(section.columns(), rows);
                page.add(section.after());
            }
        }
        page.add(MEASURED);
        return page;
    }

    /** Those whose figures are in the CSV of all figures. */
    private static List<Section> sections(Results results) {
        return Stream.concat(
                        Summary.of(results).stream(),
                        Stream.of(ServerTable.of(results), FleetTable.of(results), ArrivalTable.of(results)))
                .toList();
    }

    /** The sections of both pages, in their order; of two with one title, whatever their JDK, the newer one. */
    private static String merged(String before, String after, boolean whole) {
        Map<String, String> sections = new LinkedHashMap<>();
        for (String page : List.of(before, after)) {
            Map<String, String> own = sections(page);
            boolean partial = page == after && !whole;
            own.forEach((title, section) -> {
                if (!(partial && title.equals(MEASURED) && sections.containsKey(title))) {
                    sections.put(title, section);
                }
            });
        }
        // What all sections have in common comes last.
        String last = sections.remove(MEASURED);
        return String.join("\n", sections.values()) + "\n" + last;
    }

    /** By their titles without a JDK; what precedes the first one has an empty title. */
    private static Map<String, String> sections(String page) {
        return Stream.of(page.split("(?m)^(?=## )"))
                .filter(section -> !section.isEmpty())
                .collect(Collectors.toMap(
                        section -> section.startsWith("## ")
                                ? section.lines().findFirst().orElse("").replaceFirst(", JDK \\d+$", "")
                                : "",
                        section -> section.strip() + "\n",
                        (one, other) -> one,
                        LinkedHashMap::new));
    }

    /**
     * Every figure as CSV.
     *
     * @param before figures that stay unless the runs have others in their place; empty for none
     */
    public static String figures(List<Results> runs, String before) {
        Figures figures = new Figures(before);
        for (Results run : runs) {
            sections(run).forEach(section -> figures.add(section, run));
            CellTables.write(run, figures);
        }
        return figures.toString();
    }

    private static String text(Environment run) {
        return String.format(
                Locale.ROOT,
                "**JDK %d**: %s; %s; Redis %s; %s; %s; %s by `%s`",
                run.jdk(),
                run.jvm(),
                run.system(),
                run.redis(),
                run.libraries(),
                run.timing().text(),
                run.date(),
                run.command());
    }

    /** Empty if it is not given. */
    private static String promise(Guarantee guarantee, List<Contender> contenders) {
        String names = contenders.stream()
                .filter(contender -> contender.guarantee() == guarantee)
                .map(contender -> "`" + contender.name() + "`"
                        + (NOTES.containsKey(contender.name()) ? " (" + NOTES.get(contender.name()) + ")" : ""))
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "" : names + ": " + guarantee.text();
    }
}
