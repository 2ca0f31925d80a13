package io.limiter.faults.report;

import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Conservation;
import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.judge.Result;
import io.limiter.faults.planted.BugResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The results for readers: a page whose table has a row for each promise, and all figures as CSV. */
public final class ReliabilityPage {

    /** Beside the page: all figures of the experiments, of the soak and of the planted bugs. */
    public static final String CSV = "reliability.csv";

    public static final String SOAK_CSV = "reliability-soak.csv";

    public static final String BUGS_CSV = "reliability-bugs.csv";

    private static final List<String> COLUMNS = List.of(
            "experiment",
            "what is done",
            "promise",
            "excess",
            "beyond promise",
            "taken in Redis",
            "wrongly rejected",
            "decided by",
            "p50, p99, worst call",
            "p50, p99, worst park",
            "recovery",
            "lines logged",
            "also measured",
            "verdict");

    private static final List<String> BUG_COLUMNS =
            List.of("bug", "promise", "experiment", "measure", "what was found", "verdict");

    private static final String SECTION = "\n## ";
    private static final String SOAK = SECTION + "Soak\n";
    private static final String BUGS = SECTION + "Planted bugs\n";

    private ReliabilityPage() {}

    /**
     * The whole page. The sections of planted bugs and of a soak stay.
     *
     * @param before the page as it was, if there was one
     * @param existing how many experiments there are, of which some may not have run
     */
    public static String page(String before, List<Result> results, int existing, Environment environment, long seed) {
        return template()
                        .replace("${environment}", environment.toString())
                        .replace("${seed}", Long.toString(seed))
                        .replace(
                                "${held}",
                                Long.toString(
                                        results.stream().filter(Result::holds).count()))
                        .replace(
                                "${experiments}",
                                results.size()
                                        + (results.size() < existing ? " (a selection of the " + existing + ")" : ""))
                        .replace("${exceptions}", exceptions(results))
                        .replace("${table}", table(results))
                + section(before, BUGS)
                + section(before, SOAK);
    }

    private static String section(String page, String title) {
        int start = page.indexOf(title);
        if (start < 0) {
            return "";
        }
        int end = page.indexOf(SECTION, start + title.length());
        return end < 0 ? page.substring(start) : page.substring(start, end);
    }

    /** The page with another section of a soak. */
    public static String withSoak(String before, List<Result> results, Environment environment, long seed) {
        return before.replace(section(before, SOAK), "") + SOAK + "\n" + environment.runAndRedis() + "; seed " + seed
                + ". All figures: [" + SOAK_CSV + "](" + SOAK_CSV + ").\n\n"
                + table(results) + "\n";
    }

    /** The page with another section of planted bugs. */
    public static String withBugs(String before, List<BugResult> bugs, Environment environment, long seed) {
        String soak = section(before, SOAK);
        String others = before.replace(soak, "").replace(section(before, BUGS), "");
        List<String> missed = bugs.stream()
                .filter(each -> !each.isCaught())
                .map(each -> "- " + Verdict.of(each) + ": " + each.bug().does())
                .toList();
        return others + BUGS
                + "\nExperiments must catch bugs that are planted into copies of the limiter. "
                + bugs.stream().filter(BugResult::isCaught).count() + " of " + bugs.size()
                + " were caught: [" + BUGS_CSV + "](" + BUGS_CSV + "). " + environment.runAndRedis() + "; seed "
                + seed + ".\n"
                + missed.stream()
                        .collect(Collectors.joining("\n", missed.isEmpty() ? "" : "\n", missed.isEmpty() ? "" : "\n"))
                + soak;
    }

    /** All figures of experiments. */
    public static String csv(List<Result> results) {
        return csv(COLUMNS, rows(results));
    }

    /** What was found of each planted bug. */
    public static String csvOfBugs(List<BugResult> bugs) {
        return csv(BUG_COLUMNS, bugRows(bugs));
    }

    private static String csv(List<String> columns, List<List<String>> rows) {
        return Stream.concat(Stream.of(columns), rows.stream())
                .map(row -> row.stream()
                        .map(cell -> cell.matches("(?s).*[\",\\n].*") ? '"' + cell.replace("\"", "\"\"") + '"' : cell)
                        .collect(Collectors.joining(",", "", "\n")))
                .collect(Collectors.joining());
    }

    private static List<List<String>> bugRows(List<BugResult> bugs) {
        return bugs.stream()
                .map(each -> List.of(
                        each.bug().does(),
                        each.bug().promise(),
                        each.bug().experiment(),
                        each.bug().measure().toString(),
                        evidence(each),
                        Verdict.of(each)))
                .toList();
    }

    /** The same for a terminal. */
    public static String caught(List<BugResult> bugs) {
        return bugs.stream()
                .map(each -> String.format(
                        "%-28s %-10s by %s, %s: %s%n",
                        each.bug().name(),
                        Verdict.of(each),
                        each.bug().experiment(),
                        each.bug().measure(),
                        evidence(each)))
                .collect(Collectors.joining());
    }

    private static String evidence(BugResult result) {
        return result.isCaught()
                ? result.evidence().get(0).text()
                : "nothing: " + sources(result.result().sources());
    }

    /** The same table for a terminal, without what is long. */
    public static String summary(List<Result> results) {
        List<List<String>> rows = new ArrayList<>();
        List<Integer> columns = List.of(0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
        rows.add(columns.stream().map(COLUMNS::get).toList());
        for (List<String> row : rows(results)) {
            rows.add(columns.stream().map(row::get).toList());
        }
        List<Integer> widths = new ArrayList<>();
        for (int column = 0; column < columns.size(); column++) {
            int index = column;
            widths.add(
                    rows.stream().mapToInt(row -> row.get(index).length()).max().orElse(0));
        }
        StringBuilder table = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                line.append(String.format("%-" + (widths.get(column) + 2) + "s", row.get(column)));
            }
            table.append(line.toString().stripTrailing()).append('\n');
        }
        return table + exceptions(results);
    }

    /** What did not hold, and what did not run. */
    private static String exceptions(List<Result> results) {
        List<String> lines = new ArrayList<>();
        for (Result result : results) {
            String name = result.experiment().name();
            if (result.skipped() != null) {
                lines.add("- **" + name + " was skipped**: " + result.skipped());
            }
            result.violations().stream()
                    .limit(5)
                    .forEach(violation -> lines.add("- **" + name + "**, seed " + result.seed() + ": " + violation));
        }
        return lines.isEmpty() ? "All promises held, and no experiment was skipped." : String.join("\n", lines);
    }

    private static List<List<String>> rows(List<Result> results) {
        return results.stream().map(ReliabilityPage::row).toList();
    }

    private static List<String> row(Result result) {
        boolean ran = ran(result);
        return List.of(
                result.experiment().name(),
                result.experiment().does(),
                result.experiment().promise(),
                ran ? excess(result) : "",
                ran ? permits(result.beyondPromise()) : "",
                ran ? conservation(result.conservation()) : "",
                ran ? Long.toString(result.wronglyRejected()) : "",
                ran ? sources(result.sources()) : "",
                ran ? latency(result.calls()) : "",
                ran ? latency(result.control()) : "",
                ran ? recovery(result) : "",
                ran ? Long.toString(result.linesLogged()) : "",
                String.join("; ", result.notes()),
                Verdict.of(result));
    }

    private static boolean ran(Result result) {
        return result.skipped() == null && result.calls().worstMicros() > 0;
    }

    private static String excess(Result result) {
        String leases = result.mostLeases() > 0 ? " (" + result.mostLeases() + " leases)" : "";
        return permits(result.excess()) + leases;
    }

    private static String permits(double permits) {
        return String.format(Locale.ROOT, "%.1f", Math.max(0, permits));
    }

    private static String conservation(@Nullable Conservation conservation) {
        return conservation == null ? "" : conservation.toString();
    }

    private static String sources(Map<Answer, Long> sources) {
        double all = sources.values().stream().mapToLong(Long::longValue).sum();
        return sources.entrySet().stream()
                .map(entry -> String.format(
                        Locale.ROOT,
                        "%s %.1f %%",
                        entry.getKey().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                        100 * entry.getValue() / all))
                .collect(Collectors.joining(", "));
    }

    private static String latency(Result.Latency latency) {
        return millis(latency.p50Micros()) + ", " + millis(latency.p99Micros()) + ", " + millis(latency.worstMicros())
                + " ms";
    }

    private static String recovery(Result result) {
        return result.recoveryMicros().isEmpty()
                ? "over " + Experiment.AFTER.toSeconds() + " s"
                : millis(result.recoveryMicros().getAsLong()) + " ms";
    }

    private static String millis(long micros) {
        return String.format(Locale.ROOT, micros < 10_000 ? "%.1f" : "%,.0f", micros / 1000.0);
    }

    /** A row for each promise, with the experiments on it. */
    private static String table(List<Result> results) {
        Map<String, List<Result>> byPromise = results.stream()
                .collect(Collectors.groupingBy(
                        result -> result.experiment().promise(), LinkedHashMap::new, Collectors.toList()));
        return Stream.concat(
                        Stream.of(
                                "| promise | experiments and their excess, in permits | verdict |",
                                "| --- | --- | --- |"),
                        byPromise.entrySet().stream()
                                .map(entry -> "| " + entry.getKey() + " | " + experiments(entry.getValue()) + " | "
                                        + verdicts(entry.getValue()) + " |"))
                .collect(Collectors.joining("\n"));
    }

    private static String experiments(List<Result> results) {
        return results.stream()
                .map(result -> result.experiment().name() + (ran(result) ? " " + permits(result.excess()) : ""))
                .collect(Collectors.joining(", "));
    }

    /** One word if it is that of all. */
    private static String verdicts(List<Result> results) {
        Map<String, List<String>> names = results.stream()
                .collect(Collectors.groupingBy(
                        Verdict::of,
                        LinkedHashMap::new,
                        Collectors.mapping(result -> result.experiment().name(), Collectors.toList())));
        return names.size() == 1
                ? names.keySet().iterator().next()
                : names.entrySet().stream()
                        .map(entry -> entry.getKey() + ": " + String.join(", ", entry.getValue()))
                        .collect(Collectors.joining("; "));
    }

    private static String template() {
        try (InputStream page = Objects.requireNonNull(ReliabilityPage.class.getResourceAsStream("reliability.md"))) {
            return new String(page.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
